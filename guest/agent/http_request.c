#define _GNU_SOURCE
#include "http_request.h"

#include <string.h>
#include <strings.h>

struct span {
    const char *at;
    size_t length;
};

static bool equals(struct span span, const char *text) {
    return span.length == strlen(text) && strncasecmp(span.at, text, span.length) == 0;
}

static bool starts(struct span span, const char *text) {
    return span.length >= strlen(text) && strncasecmp(span.at, text, strlen(text)) == 0;
}

static struct span skip(struct span span, size_t count) {
    return (struct span){span.at + count, span.length - count};
}

// Cuts off everything up to the separator; the whole span when there is none.
static struct span next(struct span *rest, const char *separator) {
    size_t size = strlen(separator);
    const char *end = memmem(rest->at, rest->length, separator, size);
    struct span first = {rest->at, end == NULL ? rest->length : (size_t) (end - rest->at)};
    *rest = end == NULL ? skip(*rest, rest->length) : skip(*rest, first.length + size);
    return first;
}

static bool is_token(struct span span) {
    for (size_t i = 0; i < span.length; i++) {
        unsigned char c = (unsigned char) span.at[i];
        if (c <= ' ' || c >= 127 || strchr("\"(),/:;<=>?@[\\]{}", c) != NULL) return false;
    }
    return span.length > 0;
}

static bool is_text(struct span span) {
    for (size_t i = 0; i < span.length; i++) {
        unsigned char c = (unsigned char) span.at[i];
        if ((c < ' ' && c != '\t') || c == 127) return false;
    }
    return true;
}

static struct span trim(struct span span) {
    while (span.length > 0 && (span.at[0] == ' ' || span.at[0] == '\t')) span = skip(span, 1);
    while (span.length > 0 && (span.at[span.length - 1] == ' ' || span.at[span.length - 1] == '\t')) span.length--;
    return span;
}

static void put(struct buffer *out, struct span span) {
    buffer_add(out, span.at, span.length);
}

static void put_text(struct buffer *out, const char *text) {
    buffer_add(out, text, strlen(text));
}

static enum http_outcome bad(struct http_request *request, int status, const char *problem) {
    request->status = status;
    request->problem = problem;
    return HTTP_BAD;
}

static bool parse_length(struct span value, uint64_t *length) {
    *length = 0;
    for (size_t i = 0; i < value.length; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') return false;
        *length = *length * 10 + (uint64_t) (value.at[i] - '0');
    }
    // 18 digits cannot overflow.
    return value.length > 0 && value.length <= 18;
}

// What the headers say about the body. Saying it twice is how requests are smuggled, so it is not understood.
struct framing {
    bool chunked, counted;
    uint64_t length;
};

static enum http_outcome header(struct http_request *request, struct framing *framing, struct span line) {
    struct span whole = line, name = next(&line, ":"), value = trim(line);
    if (name.length == whole.length || !is_token(name) || !is_text(value)) return bad(request, 400, "A header of the request makes no sense.");
    if (equals(name, "content-length")) {
        if (framing->counted || !parse_length(value, &framing->length)) return bad(request, 400, "The request's Content-Length makes no sense.");
        framing->counted = true;
    } else if (equals(name, "transfer-encoding")) {
        if (framing->chunked || !equals(value, "chunked")) return bad(request, 501, "The only Transfer-Encoding of requests is chunked.");
        framing->chunked = true;
    }
    // Host is written from the address that was asked for, Connection ends with this one request.
    if (equals(name, "host") || equals(name, "connection") || starts(name, "proxy-")) return HTTP_READY;
    put(&request->head, whole);
    put_text(&request->head, "\r\n");
    return HTTP_READY;
}

static enum http_outcome headers(struct http_request *request, struct span lines) {
    struct framing framing = {0};
    while (lines.length > 0) {
        if (header(request, &framing, next(&lines, "\r\n")) != HTTP_READY) return HTTP_BAD;
    }
    if (framing.chunked && framing.counted) return bad(request, 400, "The request has both a Content-Length and a Transfer-Encoding.");
    http_body_init(&request->body, framing.chunked, framing.length);
    put_text(&request->head, "Connection: close\r\n\r\n");
    return HTTP_READY;
}

static enum http_outcome plain(struct http_request *request, struct span method, struct span target, struct span version, struct span lines) {
    request->tls = starts(target, "https://");
    if (!request->tls && !starts(target, "http://")) {
        return bad(request, 400, "This is a proxy: it takes CONNECT and requests for addresses that begin with http:// or https://.");
    }
    target = skip(target, request->tls ? strlen("https://") : strlen("http://"));
    size_t end = 0;
    while (end < target.length && strchr("/?#", target.at[end]) == NULL) end++;
    struct span authority = {target.at, end}, path = skip(target, end);
    if (!host_and_port(authority.at, authority.length, request->tls ? 443 : 80, request->host, &request->port)) {
        return bad(request, 400, "The request's address names no host.");
    }
    put(&request->head, method);
    put_text(&request->head, " ");
    if (path.length == 0 && equals(method, "OPTIONS")) put_text(&request->head, "*");
    else if (path.length == 0 || path.at[0] != '/') put_text(&request->head, "/");
    put(&request->head, path);
    put_text(&request->head, " ");
    put(&request->head, version);
    put_text(&request->head, "\r\nHost: ");
    put(&request->head, authority);
    put_text(&request->head, "\r\n");
    return headers(request, lines);
}

enum http_outcome http_request_parse(struct http_request *request, const uint8_t *bytes, size_t length) {
    *request = (struct http_request){0};
    const uint8_t *end = memmem(bytes, length, "\r\n\r\n", 4);
    if (end == NULL) return length >= MOST_HEAD ? bad(request, 431, "The request's head is longer than 16 KiB.") : HTTP_MORE;
    request->length = (size_t) (end - bytes) + 4;
    struct span lines = {(const char *) bytes, request->length - 2};
    struct span line = next(&lines, "\r\n");
    struct span method = next(&line, " "), target = next(&line, " "), version = line;
    if (!is_token(method) || !is_text(target) || target.length == 0 || (!equals(version, "HTTP/1.1") && !equals(version, "HTTP/1.0"))) {
        return bad(request, 400, "This is a proxy for HTTP/1.1 and SOCKS5, and this is no request of theirs.");
    }
    request->connect = method.length == 7 && memcmp(method.at, "CONNECT", 7) == 0;
    if (!request->connect) return plain(request, method, target, version, lines);
    if (!host_and_port(target.at, target.length, 0, request->host, &request->port)) return bad(request, 400, "CONNECT needs a host and a port.");
    return HTTP_READY;
}
