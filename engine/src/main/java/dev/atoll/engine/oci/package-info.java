/**
 * Images of registries: found and fetched in a process of their own, checked, and laid out as a
 * root file system.
 *
 * <p>Start at {@link dev.atoll.engine.oci.ImagePuller}. Internal to the engine.
 */
@NullMarked
package dev.atoll.engine.oci;

import org.jspecify.annotations.NullMarked;
