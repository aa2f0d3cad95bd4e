// The guest's limits and the watchdog that enforces what rlimits cannot.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

struct limits {
    uint64_t memory_bytes;
    uint64_t disk_bytes;
    uint32_t processes;
};

extern struct limits limits;

// Takes new limits over, for running processes too.
void limits_set(const Atoll__Agent__Limits *message);

// Called between fork and exec.
void limits_apply_to_self(void);

// Milliseconds until the watchdog must look again; -1: nothing to watch.
int limits_timeout(void);
// Looks, if it is time.
void limits_tick(void);

// Processes are being killed, so that memory comes free before long.
void limits_expect_relief(void);

uint64_t limits_memory_used(void);
uint64_t limits_disk_used(void);
bool limits_disk_full(void);
