// A step that cannot be made ends the process with a reason.
#pragma once

enum { FAILED = 125 };

// Where reasons go; standard error unless told.
extern int failure_descriptor;

// Writes one line, with what errno says if it is not 0, and ends with FAILED.
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
