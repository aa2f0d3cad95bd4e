// The agent's own log lines, on stderr, which the keeper writes to a file.
#pragma once

void log_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Logs and ends the agent, and with it the guest: for broken invariants and malformed input.
_Noreturn void die(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

enum { EXIT_PROTOCOL = 2, EXIT_INTERNAL = 3 };

// Where log lines go; the standard descriptors are moved away at boot.
extern int log_fd;
