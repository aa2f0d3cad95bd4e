// Carries frames between the command and one server at a time, until the command has ended and that has been told.
#pragma once

#include "command.h"

struct relay_paths {
    const char *socket;
    const char *exit_file;
};

// Returns when the keeper may exit. signals is a signalfd for SIGCHLD and SIGTERM.
void relay_run(struct command *command, int listener, int signals, const struct relay_paths *paths);
