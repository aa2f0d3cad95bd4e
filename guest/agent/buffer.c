#include "buffer.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"

enum { SMALLEST = 512 };

void buffer_add(struct buffer *buffer, const void *bytes, size_t length) {
    if (length == 0) return;
    if (buffer->start + buffer->length + length > buffer->capacity) {
        if (buffer->start > 0) memmove(buffer->bytes, buffer->bytes + buffer->start, buffer->length);
        buffer->start = 0;
        size_t wanted = buffer->capacity ? buffer->capacity : SMALLEST;
        while (buffer->length + length > wanted) wanted *= 2;
        if (wanted > buffer->capacity) {
            buffer->bytes = realloc(buffer->bytes, wanted);
            if (buffer->bytes == NULL) die(EXIT_INTERNAL, "out of memory for %zu bytes", wanted);
            buffer->capacity = wanted;
        }
    }
    memcpy(buffer->bytes + buffer->start + buffer->length, bytes, length);
    buffer->length += length;
}

void buffer_drop(struct buffer *buffer, size_t length) {
    buffer->start += length;
    buffer->length -= length;
    if (buffer->length == 0) buffer_free(buffer);
}

void buffer_free(struct buffer *buffer) {
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

const uint8_t *buffer_at(const struct buffer *buffer) {
    return buffer->bytes == NULL ? (const uint8_t *) "" : buffer->bytes + buffer->start;
}
