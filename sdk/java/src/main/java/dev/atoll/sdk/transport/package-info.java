/**
 * How the SDK speaks HTTP.
 *
 * <p>Start at {@link dev.atoll.sdk.transport.Transport}. Applications keep the default, {@link
 * dev.atoll.sdk.transport.HttpClientTransport}; short-lived programs take {@link
 * dev.atoll.sdk.transport.UrlConnectionTransport}, which starts far faster. Nothing here knows what
 * a sandbox is, retries or reads JSON.
 */
@NullMarked
package dev.atoll.sdk.transport;

import org.jspecify.annotations.NullMarked;
