// A picture of the processes in the guest, from /proc.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc {
    pid_t pid, parent, group;
    char state;
    uint64_t rss_bytes;
    // Its own and that of the children it has waited for.
    uint64_t cpu_ticks;
};

struct procs {
    struct proc *list;
    int count;
    // The time was up before all were read.
    bool partial;
};

// Fills in every process that could be read, the oldest first, in that time: among hundreds of busy processes each call of this one may wait
// its turn for long. The caller frees with procs_free.
bool procs_scan(struct procs *procs, int most_millis);
void procs_free(struct procs *procs);

// The child of root that is pid's ancestor or pid itself; 0 when pid does not descend from root.
pid_t procs_branch(const struct procs *procs, pid_t pid, pid_t root);
bool procs_descends(const struct procs *procs, pid_t pid, pid_t ancestor);
