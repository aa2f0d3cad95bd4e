// The newest frames of the guest, as the records that a server will read.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "records.h"

enum {
    RETAINED_BYTES = 1024 * 1024,
    // What a server that died may have been sent and never have taken in: what the socket holds and what it had read but not yet handled.
    IN_DOUBT_BYTES = 768 * 1024,
};

struct retained {
    uint8_t bytes[2 * RETAINED_BYTES];
    // Records lie from start to end; sent is how far the present server, or the last one, has been written to.
    size_t start, end, sent;
    uint64_t first, next;
};

// False when there is no room that may be taken from older records.
bool retained_add(struct retained *retained, const uint8_t *frame, size_t length);

// A server has come and gets everything.
void retained_attach(struct retained *retained);

// So many more bytes have been written to the server.
void retained_sent(struct retained *retained, size_t count);
