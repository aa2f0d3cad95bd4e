/**
 * How much of the server a project may take. {@link dev.atoll.engine.quota.Quotas} is the entry. It
 * knows limits and who counts what; what a sandbox, a pool or a snapshot is, is not known here.
 */
@NullMarked
package dev.atoll.engine.quota;

import org.jspecify.annotations.NullMarked;
