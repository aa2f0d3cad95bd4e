// A process with bounds: it and all that it starts live in namespaces of their own, whose first process is their supervisor. So nothing of it can
// be missed when it is counted or killed, and nothing in the guest can be reached from it but files to read.
#pragma once

#include <sys/types.h>

#include "wire.h"

// Forks the supervisor once more, into namespaces of their own; returns in the child. Reports a failure and ends the process if that cannot be done.
void bounded_enter(const Atoll__Agent__Bounds *bounds, int reports);

// Waits for the end of the target, or makes it when a bound is passed; reports it when nothing of it is left.
_Noreturn void bounded_supervise(const Atoll__Agent__Bounds *bounds, pid_t target, int reports, int orders, int children);
