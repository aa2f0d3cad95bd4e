// Processes forked ahead of need. A fork takes gVisor about 17 ms; these wait until they are given something to do, and the next ones are forked
// while nobody waits.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "file_worker.h"
#include "supervisor.h"
#include "wire.h"

struct spare_supervisor {
    pid_t pid;
    int request, reports, orders;
    // The agent's ends of the process's pipes.
    int in, out, err;
};

struct spare_worker {
    pid_t pid;
    int request, answers, upload;
    struct upload_place *place;
};

bool spare_is_missing(void);

// Forks one of what is missing.
void spare_prepare(void);

// Hands a process to the waiting supervisor. False when there is none, or the request is too large to be written at once.
bool spare_take_supervisor(const Atoll__Agent__Start *start, struct spare_supervisor *taken);

// Hands a file operation to the waiting worker, likewise.
bool spare_take_worker(const Frame *frame, struct spare_worker *taken);

// A child has ended; true if it was a spare.
bool spare_reaped(pid_t pid);
