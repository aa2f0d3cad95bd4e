/**
 * The loop of an agent that works in a sandbox: ask a model, carry out its calls, give it the
 * results, until it answers or a budget ends. {@link dev.atoll.agents.CodeAgent} is where to start.
 *
 * <p>Knows no model by name; those are in the adapters, behind {@link dev.atoll.agents.Model}.
 */
@NullMarked
package dev.atoll.agents;

import org.jspecify.annotations.NullMarked;
