// Bytes from the host on their way into a pipe: stdin of a process, code for a kernel, the content of an upload.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loop.h"

struct channel;

struct inflow {
    struct source source;
    uint8_t *bytes;
    size_t start, length, capacity;
    // Close the pipe once it is empty.
    bool ending;
    // The reader is gone, or there never was one: bytes are dropped.
    bool broken;
    // Who gets credit for what is passed on; may be NULL.
    struct channel *channel;
};

void inflow_init(struct inflow *inflow, int fd, struct channel *channel);

// Writes what the pipe takes now and keeps the rest. The credit given to the host bounds what can pile up here.
void inflow_write(struct inflow *inflow, const void *head, size_t head_length, const void *body, size_t body_length);

void inflow_end(struct inflow *inflow);
void inflow_close(struct inflow *inflow);
