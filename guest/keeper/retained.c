#include "retained.h"

#include <string.h>

// Nothing at or after this place may be dropped: it has not been sent, or it may have been sent to a server that died before taking it in.
static size_t needed(const struct retained *retained) {
    return retained->sent - retained->start < IN_DOUBT_BYTES ? retained->start : retained->sent - IN_DOUBT_BYTES;
}

// Drops whole records from the front until there is room.
static bool make_room(struct retained *retained, size_t size) {
    while (retained->end - retained->start + size > RETAINED_BYTES) {
        struct piece oldest;
        if (find_record(retained->bytes + retained->start, retained->end - retained->start, &oldest) != FOUND_WHOLE) return false;
        if (retained->start + oldest.total > needed(retained)) return false;
        retained->start += oldest.total;
        retained->first++;
    }
    return true;
}

static void move_to_front(struct retained *retained) {
    size_t by = retained->start;
    memmove(retained->bytes, retained->bytes + by, retained->end - by);
    retained->start = 0;
    retained->end -= by;
    retained->sent -= by;
}

bool retained_add(struct retained *retained, const uint8_t *frame, size_t length) {
    size_t size = RECORD_HEADER + length;
    if (!make_room(retained, size)) return false;
    if (retained->end + size > sizeof retained->bytes) move_to_front(retained);
    uint8_t *at = retained->bytes + retained->end;
    at[0] = 'F';
    put_u32(at + 1, (uint32_t) length);
    if (length > 0) memcpy(at + RECORD_HEADER, frame, length);
    retained->end += size;
    retained->next++;
    return true;
}

void retained_attach(struct retained *retained) {
    retained->sent = retained->start;
}

void retained_sent(struct retained *retained, size_t count) {
    retained->sent += count;
}
