/**
 * A sandbox's tools for LangChain4j: {@link dev.atoll.agents.langchain4j.AtollToolProvider} for AI
 * services, {@link dev.atoll.agents.langchain4j.AtollCodeExecutionEngine} for code alone.
 */
@NullMarked
package dev.atoll.agents.langchain4j;

import org.jspecify.annotations.NullMarked;
