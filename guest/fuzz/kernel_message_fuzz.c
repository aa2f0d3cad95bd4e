// Fuzzes the parser of what a kernel writes, which user code can forge.
#include <stdlib.h>
#include <string.h>

#include "kernel_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    // The same bytes must mean the same however the pipe cuts them: once whole, once in pieces.
    uint32_t most = 1 + data[0];
    size_t cut = 1 + data[1];
    data += 2;
    size -= 2;
    uint64_t sums[2] = {0, 0};
    for (int round = 0; round < 2; round++) {
        struct kernel_parser parser = {0};
        size_t at = 0;
        while (at < size) {
            size_t length = round == 0 || size - at < cut ? size - at : cut;
            uint8_t *copy = malloc(length);
            memcpy(copy, data + at, length);
            struct kernel_event event;
            size_t used = kernel_parse(&parser, copy, length, most, &event);
            if (used > length || (used == 0 && event.kind == KERNEL_NOTHING)) abort();
            for (uint32_t i = 0; i < event.length; i++) sums[round] = sums[round] * 31 + event.bytes[i];
            if (event.kind == KERNEL_CHUNK && event.length > most) abort();
            free(copy);
            at += used;
            if (event.kind == KERNEL_GARBAGE) break;
            if (event.last) sums[round] = sums[round] * 31 + event.type;
        }
    }
    if (sums[0] != sums[1]) abort();
    return 0;
}
