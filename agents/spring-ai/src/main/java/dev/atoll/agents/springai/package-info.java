/** A sandbox's tools for Spring AI: {@link dev.atoll.agents.springai.AtollToolCallbacks}. */
@NullMarked
package dev.atoll.agents.springai;

import org.jspecify.annotations.NullMarked;
