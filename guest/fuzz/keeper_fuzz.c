// Fuzzes the keeper's finding of frames and records, and what it retains of them.
#include <stdlib.h>
#include <string.h>

#include "records.h"
#include "retained.h"

static struct retained retained;

static void check(void) {
    uint64_t count = 0;
    for (size_t at = retained.start; at < retained.end; count++) {
        struct piece piece;
        if (find_record(retained.bytes + at, retained.end - at, &piece) != FOUND_WHOLE) abort();
        at += piece.total;
    }
    if (count != retained.next - retained.first || retained.sent < retained.start || retained.sent > retained.end) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static uint8_t frame[MAX_FRAME];
    retained.start = retained.end = retained.sent = 0;
    retained.first = retained.next = 0;
    struct piece piece;
    uint8_t *copy = malloc(size);
    if (size > 0) memcpy(copy, data, size);
    for (size_t at = 0; at < size && find_frame(copy + at, size - at, &piece) == FOUND_WHOLE; at += piece.total) {
        if (piece.total > size - at) abort();
        retained_add(&retained, piece.payload, piece.length);
    }
    for (size_t at = 0; at < size && find_record(copy + at, size - at, &piece) == FOUND_WHOLE; at += piece.total) {
        if (piece.total > size - at) abort();
    }
    free(copy);
    // Each two bytes: a frame of some length, or a server that comes or reads.
    for (size_t i = 0; i + 1 < size; i += 2) {
        size_t amount = (size_t) data[i + 1] * 257;
        if (data[i] % 4 < 2) {
            uint64_t before = retained.next;
            bool added = retained_add(&retained, frame, amount > MAX_FRAME ? MAX_FRAME : amount);
            if (added != (retained.next == before + 1)) abort();
        } else if (data[i] % 4 == 2) {
            retained_attach(&retained);
        } else {
            size_t left = retained.end - retained.sent;
            retained_sent(&retained, amount < left ? amount : left);
        }
        if (retained.end - retained.start > RETAINED_BYTES) abort();
    }
    check();
    return 0;
}
