/**
 * Claude, by Anthropic's own library: {@link dev.atoll.agents.anthropic.AnthropicModel} for {@code
 * CodeAgent}, {@link dev.atoll.agents.anthropic.AnthropicTools} for loops of one's own.
 */
@NullMarked
package dev.atoll.agents.anthropic;

import org.jspecify.annotations.NullMarked;
