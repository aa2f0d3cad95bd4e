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
    // Of a record: frame or command.
    uint8_t type;
    // Header and payload together.
    size_t total;
};

// A guest's frame at the beginning of bytes.
enum found find_frame(const uint8_t *bytes, size_t length, struct piece *piece);

// A server's record at the beginning of bytes: a frame, or the command that brings the machine to life.
enum found find_record(const uint8_t *bytes, size_t length, struct piece *piece);

void put_u32(uint8_t *at, uint32_t value);
void put_u64(uint8_t *at, uint64_t value);
