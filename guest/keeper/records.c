#include "records.h"

static uint32_t get_u32(const uint8_t *at) {
    return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

void put_u32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t) (value >> (24 - 8 * i));
}

void put_u64(uint8_t *at, uint64_t value) {
    put_u32(at, (uint32_t) (value >> 32));
    put_u32(at + 4, (uint32_t) value);
}

static enum found find(const uint8_t *bytes, size_t length, size_t header, struct piece *piece) {
    uint32_t size = get_u32(bytes + header - 4);
    if (size > MAX_FRAME) return FOUND_BAD;
    if (length - header < size) return FOUND_PART;
    *piece = (struct piece){.payload = bytes + header, .length = size, .total = header + size};
    return FOUND_WHOLE;
}

enum found find_frame(const uint8_t *bytes, size_t length, struct piece *piece) {
    return length < FRAME_HEADER ? FOUND_PART : find(bytes, length, FRAME_HEADER, piece);
}

enum found find_record(const uint8_t *bytes, size_t length, struct piece *piece) {
    if (length > 0 && bytes[0] != 'F' && bytes[0] != 'B') return FOUND_BAD;
    enum found found = length < RECORD_HEADER ? FOUND_PART : find(bytes, length, RECORD_HEADER, piece);
    if (found == FOUND_WHOLE) piece->type = bytes[0];
    return found;
}
