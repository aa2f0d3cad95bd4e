package dev.atoll.model;

/**
 * How the sandboxes of a project reach the network, all together.
 *
 * @param ceiling what none of their policies can exceed
 * @param own whether the ceiling was set for this project; otherwise it is the server's
 * @param openConnections how many stand now
 * @param bytesToday both ways since midnight UTC
 */
public record ProjectNetworkInfo(
    String project, NetworkPolicy ceiling, boolean own, int openConnections, long bytesToday) {}
