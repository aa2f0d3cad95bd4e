/**
 * A sandbox as tools of a language model: their definitions, and a dispatcher that carries calls
 * out. {@link dev.atoll.agents.tools.SandboxTools} is where to start.
 *
 * <p>Knows the SDK and no model: what turns these into the types of a library is in the adapters.
 */
@NullMarked
package dev.atoll.agents.tools;

import org.jspecify.annotations.NullMarked;
