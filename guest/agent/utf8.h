// Text for protobuf strings, which must be UTF-8 while file names can be any bytes.
#pragma once

#include <stddef.h>

// Cleaned text is at most this many times as long.
enum { UTF8_GROWTH = 3 };

// Copies text into out, with each byte that is not part of valid UTF-8 replaced by U+FFFD. Cuts at size, between characters.
void utf8_clean(const char *text, char *out, size_t size);
