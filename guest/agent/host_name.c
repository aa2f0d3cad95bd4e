#include "host_name.h"

#include <arpa/inet.h>
#include <string.h>

static bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool host_name_clean(const char *text, size_t length, char *out) {
    if (length > 0 && text[length - 1] == '.') length--;
    if (length == 0 || length > MAX_HOST) return false;
    size_t label = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char) (text[i] + 32) : text[i];
        if (c == '.' ? label == 0 : !is_name_byte(c) || label == MAX_LABEL) return false;
        label = c == '.' ? 0 : label + 1;
        out[i] = c;
    }
    out[length] = 0;
    return label > 0;
}

static bool is_ipv6(const char *text, size_t length, char *out) {
    struct in6_addr address;
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= INET6_ADDRSTRLEN) return false;
    memcpy(out, text, length);
    out[length] = 0;
    return strlen(out) == length && inet_pton(AF_INET6, out, &address) == 1;
}

bool host_clean(const char *text, size_t length, char *out) {
    if (length > 0 && memchr(text, ':', length) != NULL) return is_ipv6(text, length, out);
    return host_name_clean(text, length, out);
}

static bool parse_port(const char *text, size_t length, uint16_t *port) {
    unsigned value = 0;
    if (length == 0 || length > 5) return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        value = value * 10 + (unsigned) (text[i] - '0');
    }
    *port = (uint16_t) value;
    return value > 0 && value <= UINT16_MAX;
}

bool host_and_port(const char *text, size_t length, uint16_t otherwise, char *host, uint16_t *port) {
    size_t end = length;
    while (end > 0 && text[end - 1] != ':' && text[end - 1] != ']') end--;
    bool has_port = end > 0 && text[end - 1] == ':';
    size_t host_length = has_port ? end - 1 : length;
    *port = otherwise;
    if (has_port && !parse_port(text + end, length - end, port)) return false;
    // Without brackets nobody could tell the port from the last part of an address.
    if (host_length > 0 && text[0] != '[' && memchr(text, ':', host_length) != NULL) return false;
    return *port != 0 && host_clean(text, host_length, host);
}
