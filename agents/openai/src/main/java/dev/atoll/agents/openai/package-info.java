/**
 * Models of OpenAI and of all who speak like it, by OpenAI's own library: {@link
 * dev.atoll.agents.openai.OpenAiChatModel} and {@link dev.atoll.agents.openai.OpenAiResponsesModel}
 * for {@code CodeAgent}, {@link dev.atoll.agents.openai.OpenAiTools} for loops of one's own.
 */
@NullMarked
package dev.atoll.agents.openai;

import org.jspecify.annotations.NullMarked;
