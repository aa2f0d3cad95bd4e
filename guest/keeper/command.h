// The machine's command: started once, with its stdio in the keeper's hands.
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { MAX_CGROUPS = 16 };

struct command {
    char *const *argv;
    const char *log;
    const char *meminfo;
    const char *cgroups[MAX_CGROUPS];
    int cgroup_count;
    pid_t pid;
    // The keeper's ends, non-blocking: `in` is what the command reads.
    int in, out;
};

// False after writing what went wrong into message.
int command_start(struct command *command, char *message, size_t size);
