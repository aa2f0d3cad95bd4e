package dev.atoll.model;

import org.jspecify.annotations.Nullable;

/**
 * Something that takes part of a quota.
 *
 * @param kind what it is, such as {@code sandbox}, {@code snapshot} or {@code pool}
 * @param name its name, if it has one
 * @param amount how much it takes, in the quota's unit
 */
public record QuotaUser(String kind, String id, @Nullable String name, double amount) {}
