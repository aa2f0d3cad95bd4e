// Carries frames between the machine and one server at a time, until the machine has ended and that has been told.
#pragma once

#include "machine.h"

struct relay {
    struct machine *machine;
    // Listens for servers; processes of root and of `owner` may be one.
    int listener;
    uid_t owner;
    // A signalfd for SIGCHLD and SIGTERM.
    int signals;
    // Gets the wait status as a line, in one piece.
    int exit_file;
};

// Returns when the keeper may exit. Opens nothing and starts nothing: it runs behind a filter of system calls.
void relay_run(const struct relay *relay);
