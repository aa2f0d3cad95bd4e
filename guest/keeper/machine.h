// The machine, seen from the keeper: three pipes, and a process that starts what makes it. That process, the starter, is the first one of the machine's namespaces and tells of its end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../jailer/world.h"

enum { MAX_BEGIN = 65536 };

struct machine {
    // With an id to begin from, a world is made; without one, as in tests, the command runs as the keeper does.
    struct world world;
    char *const *command;
    // Where a command that makes a machine leaves the machine's process id, in the world; NULL for a command that is the machine.
    const char *pid_file;
    pid_t starter;
    // As the starter sees it.
    pid_t pid;
    // The keeper's ends, non-blocking: `in` is what the machine reads, `log` what it says besides.
    int in, out, log;
    // To the starter: a command as a packet, words with a NUL at the end of each; the end of the stream asks for the machine's end. From it: a struct told.
    int control;
};

enum told_kind { TOLD_MADE = 1, TOLD_FAILED, TOLD_ENDED };

struct told {
    int32_t kind;
    // The machine's process id, or its wait status.
    int32_t number;
    char reason[300];
};

// Starts the starter and waits until the machine is made; false after writing what went wrong into reason. The process must have one thread. Where a world is made, the caller is in its root afterwards.
bool machine_start(struct machine *machine, char *reason, size_t size);

// Has the starter run what brings a machine that was made to life. False when there is no such machine, or it was done before.
bool machine_begin(struct machine *machine, const uint8_t *words, size_t length);

// Asks for the machine's end; it is told as any other.
void machine_kill(struct machine *machine);

// In the starter: makes the machine, obeys and reaps until it has ended.
int starter_run(void *machine);
