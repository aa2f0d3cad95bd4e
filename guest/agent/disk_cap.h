// While the disk is over its limit, a kernel and what it starts may not make files larger: its writes fail, and its variables stay.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "procs.h"

struct job;

// Caps every process of the job that is in the picture; children inherit it.
void disk_cap(const struct procs *procs, struct job *job);

// Whether the disk has grown in spite of the job's cap. A write that was under way when the cap came goes on to its end, but no further. What grows
// after that is written past all counts and limits of files, as memory that is mapped from them is.
bool disk_heeds_no_cap(struct job *job, uint64_t used, uint64_t margin);

// Lifts all caps if there is room again.
void disk_uncap_if_room(void);

// The limit itself has been set anew for everyone, which has lifted all caps.
void disk_caps_forgotten(void);
