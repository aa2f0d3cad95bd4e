/**
 * Services: programs that are reachable at an address, in as many sandboxes as their requests need.
 * {@link dev.atoll.engine.service.Services} is the entry. It is made of the engine's own public
 * parts, sandboxes, snapshots and ports; what concerns one sandbox alone does not belong here.
 */
@NullMarked
package dev.atoll.engine.service;

import org.jspecify.annotations.NullMarked;
