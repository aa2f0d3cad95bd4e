// The root of a world: an empty file system in memory with the mounts that were asked for, and nothing else.
#pragma once

#include "world.h"

// Opens all sources, before anything is mounted over them. A link at the end of a source's path is not followed.
void root_open_sources(struct world *world);

// Mounts everything and makes it the root of the caller's mount namespace, which must be its own; the old root is gone then. user_namespace and pid_namespace are descriptors of the world's.
void root_make(struct world *world, int user_namespace, int pid_namespace);
