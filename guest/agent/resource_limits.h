// The guest's limits and the watchdog that enforces what rlimits cannot.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

struct limits {
    uint64_t memory_bytes;
    uint64_t disk_bytes;
    uint32_t processes;
};

extern struct limits limits;

// Takes new limits over, for running processes too.
void limits_set(const Atoll__Agent__Limits *message);

// Called between fork and exec. Returns NULL, or which limit could not be set: then nothing may be started, and errno says why.
const char *limits_apply_to_self(void);

// No file of the process may grow from now on.
void limits_stop_growth(pid_t pid);
// Files of all running processes may grow up to the limit again.
void limits_allow_growth(void);

// Milliseconds until the watchdog must look again; -1: nothing to watch.
int limits_timeout(void);
// Looks, if it is time.
void limits_tick(void);

// Processes are being killed, so that memory comes free before long.
void limits_expect_relief(void);

// False when it cannot be told, which is no reason to believe that there is room.
bool limits_memory_used(uint64_t *used);
bool limits_disk_used(uint64_t *used);
// True also when it cannot be told.
bool limits_disk_full(void);
