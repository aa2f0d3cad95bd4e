package dev.atoll.engine.service;

import dev.atoll.engine.net.PortConnection;

/** A connection to an instance of a service, and the port that it leads to. */
public record Passage(PortConnection connection, int port) {}
