// The kernel's side of the control pipes, see ../kernels/PROTOCOL.md. User code in a kernel can write to the pipe, so every byte is hostile.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KERNEL_HEADER = 5,
    KERNEL_MAX_SHORT = 512,
    KERNEL_MAX_RESULT = 16 * 1024 * 1024,
};

// Kernel to agent.
enum {
    KERNEL_READY = 'R',
    KERNEL_SERVED_BY = 'S',
    KERNEL_OPENED = 'O',
    KERNEL_THAWED = 'T',
    KERNEL_RESULT = 'r',
    KERNEL_DISPLAY = 'd',
    KERNEL_ERROR = 'e',
    KERNEL_QUESTION = 'q',
    KERNEL_DONE = 'D',
};

// Agent to kernel.
enum {
    KERNEL_OPEN = 'O',
    KERNEL_VARIABLES = 'V',
    KERNEL_CODE = 'E',
    KERNEL_EXECUTE = 'X',
    KERNEL_INTERRUPTED = 'I',
    KERNEL_THAW = 'T',
    KERNEL_MAY_ASK = 'Q',
    KERNEL_ANSWER = 'A',
};

struct kernel_parser {
    uint8_t header[KERNEL_HEADER];
    unsigned header_length;
    // Of the message being read.
    uint32_t remaining;
    uint8_t payload[KERNEL_MAX_SHORT];
    uint32_t payload_length;
};

struct kernel_event {
    enum { KERNEL_NOTHING, KERNEL_MESSAGE, KERNEL_CHUNK, KERNEL_GARBAGE } kind;
    uint8_t type;
    // MESSAGE: the whole payload. CHUNK: the next piece of a result, display, error or question.
    const uint8_t *bytes;
    uint32_t length;
    bool last;
};

// Takes bytes until one event is complete; NOTHING means that all were used. A chunk is at most most_chunk bytes long. Returns how many bytes were used.
size_t kernel_parse(struct kernel_parser *parser, const uint8_t *bytes, size_t length, uint32_t most_chunk, struct kernel_event *event);

// True when the next bytes belong to a chunk, which needs credit.
bool kernel_parser_in_chunk(const struct kernel_parser *parser);

// Four bytes, the highest first.
uint32_t kernel_number(const uint8_t *bytes);

void kernel_header(uint8_t header[KERNEL_HEADER], uint8_t type, size_t length);
