#include "kernel_message.h"

#include <string.h>

static bool is_streamed(uint8_t type) {
    return type == KERNEL_RESULT || type == KERNEL_DISPLAY || type == KERNEL_ERROR || type == KERNEL_QUESTION;
}

static bool is_short(uint8_t type) {
    return type == KERNEL_READY || type == KERNEL_SERVED_BY || type == KERNEL_OPENED || type == KERNEL_THAWED || type == KERNEL_DONE;
}

bool kernel_parser_in_chunk(const struct kernel_parser *parser) {
    return parser->header_length == KERNEL_HEADER && is_streamed(parser->header[0]);
}

uint32_t kernel_number(const uint8_t *bytes) {
    return (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16 | (uint32_t) bytes[2] << 8 | bytes[3];
}

static bool take_header(struct kernel_parser *parser) {
    const uint8_t *h = parser->header;
    parser->remaining = kernel_number(h + 1);
    parser->payload_length = 0;
    if (is_streamed(h[0])) return parser->remaining > 0 && parser->remaining <= KERNEL_MAX_RESULT;
    return is_short(h[0]) && parser->remaining <= KERNEL_MAX_SHORT;
}

size_t kernel_parse(struct kernel_parser *parser, const uint8_t *bytes, size_t length, uint32_t most_chunk, struct kernel_event *event) {
    size_t used = 0;
    *event = (struct kernel_event){.kind = KERNEL_NOTHING};
    if (parser->header_length < KERNEL_HEADER) {
        while (used < length && parser->header_length < KERNEL_HEADER) parser->header[parser->header_length++] = bytes[used++];
        if (parser->header_length < KERNEL_HEADER) return used;
        if (!take_header(parser)) {
            event->kind = KERNEL_GARBAGE;
            return used;
        }
        // A chunk needs credit, which the caller has to look for first.
        if (is_streamed(parser->header[0])) return used;
    }
    size_t available = length - used < parser->remaining ? length - used : parser->remaining;
    event->type = parser->header[0];
    if (is_streamed(event->type)) {
        if (available > most_chunk) available = most_chunk;
        if (available == 0) return used;
        event->kind = KERNEL_CHUNK;
        event->bytes = bytes + used;
        event->length = (uint32_t) available;
    } else {
        memcpy(parser->payload + parser->payload_length, bytes + used, available);
        parser->payload_length += (uint32_t) available;
    }
    parser->remaining -= (uint32_t) available;
    used += available;
    if (parser->remaining > 0) return used;
    parser->header_length = 0;
    event->last = true;
    if (event->kind == KERNEL_CHUNK) return used;
    event->kind = KERNEL_MESSAGE;
    event->bytes = parser->payload;
    event->length = parser->payload_length;
    return used;
}

void kernel_header(uint8_t header[KERNEL_HEADER], uint8_t type, size_t length) {
    header[0] = type;
    header[1] = (uint8_t) (length >> 24);
    header[2] = (uint8_t) (length >> 16);
    header[3] = (uint8_t) (length >> 8);
    header[4] = (uint8_t) length;
}
