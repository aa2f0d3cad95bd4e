// The last steps of a forked child before it becomes the program that was asked for.
#pragma once

#include "supervisor.h"
#include "user.h"

// What takes memory or reads files: who it is to be, and the environment, which becomes this process's own. Before the fork. Ends the process
// with a struct report to failure_fd when that program may not or cannot be started.
void target_prepare(const struct launch *launch, struct user *user, int failure_fd);

// Makes system calls only, so that a child that shares its parent's memory may call it. Never returns: what goes wrong is written to
// failure_fd as a struct report.
_Noreturn void target_exec(const struct launch *launch, const struct user *user, int failure_fd);

// Variables given by Thaw.
void target_set_thaw_env(Variable *const *env, size_t count);
size_t target_thaw_env(char *const **pairs);

// For a child forked before the last thaw: pairs, each ending with NUL, that replace those it was born with. They must stay in memory.
void target_take_thaw_env(char *pairs, size_t length);
