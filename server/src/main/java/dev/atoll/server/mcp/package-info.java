/**
 * The server of the Model Context Protocol: tools, resources and sessions of agents, over the
 * engine.
 *
 * <p>Start at {@link dev.atoll.server.mcp.McpService}. The protocol itself is the official SDK's;
 * {@link dev.atoll.server.mcp.McpSessions} is its transport, and knows nothing of HTTP. A failure
 * becomes an answer in {@link dev.atoll.server.mcp.McpErrors} alone.
 */
@NullMarked
package dev.atoll.server.mcp;

import org.jspecify.annotations.NullMarked;
