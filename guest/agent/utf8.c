#include "utf8.h"

#include <stdint.h>
#include <string.h>

// Length of the valid character at the beginning of text, or 0. A NUL ends every check, so it never reads past the end.
static size_t character(const uint8_t *text) {
    uint8_t first = text[0];
    if (first < 0x80) return 1;
    size_t length = first >= 0xC2 && first <= 0xDF ? 2 : (first & 0xF0) == 0xE0 ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0;
    }
    // Overlong forms, surrogates, and what lies beyond Unicode.
    if ((first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F)) return 0;
    if ((first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F)) return 0;
    return length;
}

void utf8_clean(const char *text, char *out, size_t size) {
    const uint8_t *at = (const uint8_t *) text;
    size_t used = 0;
    while (*at != 0) {
        size_t length = character(at);
        const char *from = length > 0 ? (const char *) at : "\xEF\xBF\xBD";
        size_t copied = length > 0 ? length : 3;
        if (used + copied + 1 > size) break;
        memcpy(out + used, from, copied);
        used += copied;
        at += length > 0 ? length : 1;
    }
    out[used] = 0;
}
