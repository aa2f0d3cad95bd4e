/**
 * The package cache: what package managers in sandboxes fetch, fetched once.
 *
 * <p>Start at {@link dev.atoll.engine.cache.PackageCache}, of which a server has one; it speaks
 * HTTP with programs in guests over the streams that it is given. Where packages come from is the
 * host's word ({@link dev.atoll.engine.cache.Upstreams}) and never a guest's: a path names a
 * package and a file, and everything else follows from the registry's own index. Nothing is kept
 * that is not what the index promises.
 */
@NullMarked
package dev.atoll.engine.cache;

import org.jspecify.annotations.NullMarked;
