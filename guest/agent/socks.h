// SOCKS5 (RFC 1928) without authentication.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "host_name.h"

enum { SOCKS_VERSION = 5, SOCKS_NO_METHOD = 0xFF, SOCKS_REPLY_LENGTH = 10 };

enum socks_code {
    SOCKS_OK = 0,
    SOCKS_FAILURE = 1,
    SOCKS_NOT_ALLOWED = 2,
    SOCKS_HOST_UNREACHABLE = 4,
    SOCKS_CONNECTION_REFUSED = 5,
    SOCKS_EXPIRED = 6,
    SOCKS_NO_SUCH_COMMAND = 7,
    SOCKS_NO_SUCH_ADDRESS = 8,
};

enum socks_outcome { SOCKS_MORE, SOCKS_READY, SOCKS_BAD };

struct socks_request {
    char host[MAX_HOST + 1];
    uint16_t port;
    // Length of the message as it came.
    size_t length;
    // Of a bad request: what it is answered with.
    enum socks_code code;
};

// The greeting. A bad one offers no method that is known here.
enum socks_outcome socks_greeting(const uint8_t *bytes, size_t length, size_t *used);

enum socks_outcome socks_parse(struct socks_request *request, const uint8_t *bytes, size_t length);

void socks_reply(uint8_t *out, enum socks_code code);
