/**
 * Whom the host trusts, and sandboxes with it: {@link dev.atoll.engine.trust.HostCertificates}.
 * Internal to the engine; depends on nothing else of it.
 */
@NullMarked
package dev.atoll.engine.trust;

import org.jspecify.annotations.NullMarked;
