/**
 * The frames between host and guest: the generated messages of {@code agent.proto}, and {@link
 * dev.atoll.protocol.FrameCodec} that reads and writes them. The schema of each released generation
 * is frozen in {@code protocol/schema}.
 */
@NullMarked
package dev.atoll.protocol;

import org.jspecify.annotations.NullMarked;
