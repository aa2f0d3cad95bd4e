// Finding whole frames and records in a byte stream.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    MAX_FRAME = 65536,
    FRAME_HEADER = 4,
    RECORD_HEADER = 5,
};

enum found { FOUND_WHOLE, FOUND_PART, FOUND_BAD };

struct piece {
    const uint8_t *payload;
    size_t length;
    // Header and payload together.
    size_t total;
};

// A guest's frame at the beginning of bytes.
enum found find_frame(const uint8_t *bytes, size_t length, struct piece *piece);

// A server's record at the beginning of bytes; frames are all that a server may send.
enum found find_record(const uint8_t *bytes, size_t length, struct piece *piece);

void put_u32(uint8_t *at, uint32_t value);
void put_u64(uint8_t *at, uint64_t value);
