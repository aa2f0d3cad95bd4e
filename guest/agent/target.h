// The last steps of a forked child before it becomes the program that was asked for.
#pragma once

#include "supervisor.h"

// Never returns. What goes wrong is written to failure_fd as a struct report.
_Noreturn void target_exec(const struct launch *launch, int failure_fd);

// Variables given by Thaw.
void target_set_thaw_env(Variable *const *env, size_t count);
size_t target_thaw_env(char *const **pairs);

// For a child forked before the last thaw: pairs, each ending with NUL, that replace those it was born with. They must stay in memory.
void target_take_thaw_env(char *pairs, size_t length);
