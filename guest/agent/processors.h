// How many processors programs see: as many as the sandbox may use, where that is fewer than there are.
#pragma once

#include <stddef.h>

#include "agent.pb-c.h"

// Looks for ATOLL_CPUS among the variables of a thaw.
void processors_set(Atoll__Agent__Variable *const *env, size_t count);
