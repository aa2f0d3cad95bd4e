#define _GNU_SOURCE
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { HALF = LOG_BYTES / 2, SECOND = 1000 };

static int file = -1;
static size_t size;
// Of this second.
static size_t written;
static int64_t second;
// Since the last line about it.
static uint64_t missing;

void log_open(int the_file) {
    file = the_file;
    off_t end = lseek(file, 0, SEEK_END);
    size = end < 0 ? LOG_BYTES : (size_t) end;
}

// A full disk loses the log and nothing else.
static void append(const char *bytes, size_t length) {
    ssize_t n;
    while ((n = pwrite(file, bytes, length, (off_t) size)) < 0 && errno == EINTR) {}
    if (n < 0) missing += length;
    else size += (size_t) n;
}

static void move_to_front(void) {
    static char half[HALF];
    size_t from = size > HALF ? size - HALF : 0;
    ssize_t n;
    while ((n = pread(file, half, HALF, (off_t) from)) < 0 && errno == EINTR) {}
    missing += from;
    if (ftruncate(file, 0) != 0) return;
    size = 0;
    if (n > 0) append(half, (size_t) n);
}

static void tell_missing(void) {
    char line[64];
    int length = snprintf(line, sizeof line, "\n[%llu bytes left out]\n", (unsigned long long) missing);
    missing = 0;
    append(line, (size_t) length);
}

void log_add(const char *bytes, size_t length, int64_t now_millis) {
    if (now_millis - second >= SECOND) {
        second = now_millis;
        written = 0;
    }
    if (written + length > HALF) {
        missing += length;
        return;
    }
    written += length;
    if (size + length + 64 > LOG_BYTES) move_to_front();
    if (missing > 0) tell_missing();
    append(bytes, length);
}
