package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * How a sandbox reaches the network.
 *
 * @param ceiling what no policy of the project can exceed; null for no such bound
 * @param openConnections how many stand now
 * @param bytesToday both ways since midnight UTC
 */
public record NetworkInfo(
    NetworkPolicy policy, @Nullable NetworkPolicy ceiling, int openConnections, long bytesToday) {}
