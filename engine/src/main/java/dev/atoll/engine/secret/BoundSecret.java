package dev.atoll.engine.secret;

import dev.atoll.model.SecretInfo;
import dev.atoll.model.SecretValue;

/** A secret with its value, for a request that leaves for one of its domains. */
public record BoundSecret(SecretInfo info, SecretValue value) {}
