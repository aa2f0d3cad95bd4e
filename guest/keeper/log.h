// What the machine says besides its frames, kept within bounds: a guest can say as much as it likes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOG_BYTES = 1024 * 1024 };

// The file is the log's own, open for reading and writing.
void log_open(int file);

// Keeps the beginning up to LOG_BYTES; then the newest half is moved to the front, again and again, but no more than half of LOG_BYTES each second are written. A line tells how many bytes are missing.
void log_add(const char *bytes, size_t length, int64_t now_millis);
