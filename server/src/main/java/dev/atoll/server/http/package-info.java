/**
 * The native HTTP API, version 1.
 *
 * <p>Start at {@link dev.atoll.server.http.HttpServer}; the table of all operations is {@link
 * dev.atoll.server.http.ApiRoutes}. A handler parses a request, calls the engine and renders the
 * answer; it decides nothing. Failures become answers in {@link
 * dev.atoll.server.http.ErrorRenderer} alone.
 */
@NullMarked
package dev.atoll.server.http;

import org.jspecify.annotations.NullMarked;
