// Bytes that wait, in memory that grows with them and goes with them.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *bytes;
    size_t start, length, capacity;
};

void buffer_add(struct buffer *buffer, const void *bytes, size_t length);

// Forgets the first bytes; a buffer that is empty holds no memory.
void buffer_drop(struct buffer *buffer, size_t length);
void buffer_free(struct buffer *buffer);

// The first of the bytes that wait.
const uint8_t *buffer_at(const struct buffer *buffer);
