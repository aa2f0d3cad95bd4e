/**
 * How settings are found, read and refused.
 *
 * <p>Start at {@link dev.atoll.server.config.Settings}; {@link dev.atoll.server.config.Setting}
 * lists every key. What a setting means is up to the record that is made of it.
 */
@NullMarked
package dev.atoll.server.config;

import org.jspecify.annotations.NullMarked;
