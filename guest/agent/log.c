#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int log_fd = 2;

static void write_line(const char *format, va_list arguments) {
    char line[512];
    int n = snprintf(line, sizeof line, "atoll-agent[%d]: ", (int) getpid());
    int m = vsnprintf(line + n, sizeof line - (size_t) n - 1, format, arguments);
    if (m < 0) return;
    size_t length = strlen(line);
    line[length++] = '\n';
    // A log that cannot be written must not stop the agent.
    if (write(log_fd, line, length) < 0) return;
}

void log_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments);
    va_end(arguments);
}

void die(int status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_line(format, arguments);
    va_end(arguments);
    _exit(status);
}
