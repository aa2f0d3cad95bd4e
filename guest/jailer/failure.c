#include "failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int failure_descriptor = 2;

_Noreturn void fail(const char *format, ...) {
    int number = errno;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(failure_descriptor, "atoll-jailer: %s%s%s\n", text, number == 0 ? "" : ": ", number == 0 ? "" : strerror(number));
    _exit(FAILED);
}
