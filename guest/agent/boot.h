// What the agent does before it says Hello.
#pragma once

// Puts the guest's file system and the agent's own process in order.
void boot_prepare(void);

// Runs the commands of the configuration, one after the other.
void boot_run_commands(void);

// From here on nothing that a start command has left behind reaches the log.
void boot_silence(void);
