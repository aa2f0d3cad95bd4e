#include "socks.h"

#include <arpa/inet.h>
#include <string.h>

enum { CONNECT = 1, IPV4 = 1, NAME = 3, IPV6 = 4, HEADER = 4 };

enum socks_outcome socks_greeting(const uint8_t *bytes, size_t length, size_t *used) {
    if (length < 2 || length < 2u + bytes[1]) return SOCKS_MORE;
    *used = 2u + bytes[1];
    return memchr(bytes + 2, 0, bytes[1]) != NULL ? SOCKS_READY : SOCKS_BAD;
}

static enum socks_outcome bad(struct socks_request *request, enum socks_code code) {
    request->code = code;
    return SOCKS_BAD;
}

// Bytes of the address, with the length that goes before a name; 0 when its kind is not known.
static size_t address_length(const uint8_t *bytes) {
    switch (bytes[3]) {
        case IPV4: return 4;
        case IPV6: return 16;
        case NAME: return 1u + bytes[4];
        default: return 0;
    }
}

static bool read_address(struct socks_request *request, const uint8_t *bytes) {
    if (bytes[3] == NAME) return host_clean((const char *) bytes + 5, bytes[4], request->host);
    return inet_ntop(bytes[3] == IPV4 ? AF_INET : AF_INET6, bytes + HEADER, request->host, sizeof request->host) != NULL;
}

enum socks_outcome socks_parse(struct socks_request *request, const uint8_t *bytes, size_t length) {
    *request = (struct socks_request){0};
    if (length < HEADER + 1) return SOCKS_MORE;
    if (bytes[0] != SOCKS_VERSION || bytes[2] != 0) return bad(request, SOCKS_FAILURE);
    size_t size = address_length(bytes);
    if (size == 0) return bad(request, SOCKS_NO_SUCH_ADDRESS);
    if (length < HEADER + size + 2) return SOCKS_MORE;
    if (bytes[1] != CONNECT) return bad(request, SOCKS_NO_SUCH_COMMAND);
    request->length = HEADER + size + 2;
    request->port = (uint16_t) (bytes[HEADER + size] << 8 | bytes[HEADER + size + 1]);
    if (request->port == 0 || !read_address(request, bytes)) return bad(request, SOCKS_HOST_UNREACHABLE);
    return SOCKS_READY;
}

void socks_reply(uint8_t *out, enum socks_code code) {
    // The address that the connection comes from is nobody's business in the guest.
    memset(out, 0, SOCKS_REPLY_LENGTH);
    out[0] = SOCKS_VERSION;
    out[1] = (uint8_t) code;
    out[3] = IPV4;
}
