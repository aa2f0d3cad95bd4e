/**
 * A stand-in for a language model, for demonstrations and tests without a key: an HTTP server on
 * loopback that speaks the wire formats of Anthropic (Messages) and OpenAI (chat completions,
 * Responses), streamed or not, and says what a script says. It does not think.
 *
 * <p>{@link dev.atoll.examples.scripted.ScriptedModel} is where to start.
 */
@NullMarked
package dev.atoll.examples.scripted;

import org.jspecify.annotations.NullMarked;
