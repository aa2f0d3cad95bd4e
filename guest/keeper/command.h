// The machine's command: started once, with its stdio in the keeper's hands. It is the machine itself, or makes one and ends.
#pragma once

#include <stddef.h>
#include <sys/types.h>

enum { MAX_CGROUPS = 16 };

struct command {
    char *const *argv;
    const char *log;
    const char *meminfo;
    // Where a command that makes a machine leaves the machine's process id; NULL for one that is the machine.
    const char *machine_pid;
    const char *cgroups[MAX_CGROUPS];
    int cgroup_count;
    // The machine.
    pid_t pid;
    // The keeper's ends, non-blocking: `in` is what the command reads.
    int in, out;
};

// False after writing what went wrong into message.
int command_start(struct command *command, char *message, size_t size);

// Starts what brings a machine that was made to life, under the same limits; its output goes to the log. Less than 0 when it could not be started.
pid_t command_begin(const struct command *command, char *const *argv);
