// Where the body of a request ends. What follows it on the connection may be a request for another host, which must not reach this one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http_chunk_state { CHUNK_SIZE, CHUNK_EXTENSION, CHUNK_SIZE_END, CHUNK_DATA, CHUNK_DATA_CR, CHUNK_DATA_LF, CHUNK_TRAILER, CHUNK_TRAILER_LINE, CHUNK_TRAILER_END, CHUNK_LAST_END };

struct http_body {
    bool chunked, done, broken;
    // Bytes to come: of the body, or of the chunk.
    uint64_t left;
    enum http_chunk_state state;
    uint8_t digits;
};

void http_body_init(struct http_body *body, bool chunked, uint64_t length);

// How many of these bytes belong to the body. Sets done at its end, and broken where the chunks make no sense.
size_t http_body_take(struct http_body *body, const uint8_t *bytes, size_t length);
