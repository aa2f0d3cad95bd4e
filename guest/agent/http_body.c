#include "http_body.h"

void http_body_init(struct http_body *body, bool chunked, uint64_t length) {
    *body = (struct http_body){.chunked = chunked, .left = length, .done = !chunked && length == 0};
}

static size_t take_counted(struct http_body *body, size_t length) {
    size_t taken = body->left < length ? (size_t) body->left : length;
    body->left -= taken;
    return taken;
}

static int hex_digit(uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void size_byte(struct http_body *body, uint8_t c) {
    int digit = hex_digit(c);
    if (digit >= 0 && body->digits < 15) {
        body->left = body->left << 4 | (uint64_t) digit;
        body->digits++;
    } else if (body->digits > 0 && c == '\r') {
        body->state = CHUNK_SIZE_END;
    } else if (body->digits > 0 && (c == ';' || c == ' ' || c == '\t')) {
        body->state = CHUNK_EXTENSION;
    } else {
        body->broken = true;
    }
}

static void expect(struct http_body *body, uint8_t c, uint8_t expected, enum http_chunk_state next) {
    if (c == expected) body->state = next;
    else body->broken = true;
}

// Any byte but those of data.
static void frame_byte(struct http_body *body, uint8_t c) {
    switch (body->state) {
        case CHUNK_SIZE: size_byte(body, c); break;
        case CHUNK_EXTENSION:
            if (c == '\r') body->state = CHUNK_SIZE_END;
            else if (c == '\n') body->broken = true;
            break;
        case CHUNK_SIZE_END:
            expect(body, c, '\n', body->left > 0 ? CHUNK_DATA : CHUNK_TRAILER);
            body->digits = 0;
            break;
        case CHUNK_DATA:
        case CHUNK_DATA_CR: expect(body, c, '\r', CHUNK_DATA_LF); break;
        case CHUNK_DATA_LF: expect(body, c, '\n', CHUNK_SIZE); break;
        case CHUNK_TRAILER: body->state = c == '\r' ? CHUNK_LAST_END : CHUNK_TRAILER_LINE; break;
        case CHUNK_TRAILER_LINE:
            if (c == '\r') body->state = CHUNK_TRAILER_END;
            break;
        case CHUNK_TRAILER_END: expect(body, c, '\n', CHUNK_TRAILER); break;
        case CHUNK_LAST_END:
            expect(body, c, '\n', CHUNK_LAST_END);
            body->done = !body->broken;
            break;
    }
}

size_t http_body_take(struct http_body *body, const uint8_t *bytes, size_t length) {
    size_t used = 0;
    while (used < length && !body->done && !body->broken) {
        if (!body->chunked) {
            used += take_counted(body, length - used);
            body->done = body->left == 0;
        } else if (body->state == CHUNK_DATA) {
            used += take_counted(body, length - used);
            if (body->left == 0) body->state = CHUNK_DATA_CR;
        } else {
            frame_byte(body, bytes[used++]);
        }
    }
    return used;
}
