#define _GNU_SOURCE
#include "proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "config.h"
#include "http_request.h"
#include "name_table.h"
#include "socks.h"
#include "utf8.h"

enum { MOST_MESSAGE = 1024, MOST_ANSWER = 4096, PLAIN_HTTP = 80 };

void proxy_begin(int fd) {
    struct connection *connection = connection_new(fd, CONNECTION_HEAD, WAY(WAY_UNSPECIFIED), 0);
    connection_set_deadline(connection, config.proxy_millis);
    connection_watch(connection);
}

static const char *status_text(int status) {
    switch (status) {
        case 403: return "Forbidden";
        case 408: return "Request Timeout";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 501: return "Not Implemented";
        case 502: return "Bad Gateway";
        case 504: return "Gateway Timeout";
        default: return "Bad Request";
    }
}

static void answer(struct connection *connection, int status, const char *message) {
    char clean[MOST_MESSAGE], line[MOST_MESSAGE], text[MOST_ANSWER];
    utf8_clean(message, clean, sizeof clean);
    // A header is one line of ASCII, whatever the message is.
    size_t length = strlen(clean);
    for (size_t i = 0; i <= length; i++) line[i] = clean[i] == 0 || (clean[i] >= ' ' && clean[i] < 127) ? clean[i] : clean[i] < 0 ? '?' : ' ';
    int size = snprintf(text, sizeof text,
                        "HTTP/1.1 %d %s\r\nX-Atoll-Reason: %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s\n",
                        status, status_text(status), line, length + 1, clean);
    connection_part(connection, text, (size_t) size);
}

static void answer_socks(struct connection *connection, enum socks_code code) {
    uint8_t reply[SOCKS_REPLY_LENGTH];
    socks_reply(reply, code);
    connection_part(connection, reply, sizeof reply);
}

// A program that asked the DNS server first comes with the address it was given; the host knows only the name.
static void ask(struct connection *connection, char *host, uint16_t port, int way) {
    struct in_addr address;
    if (inet_pton(AF_INET, host, &address) == 1 && name_table_holds(ntohl(address.s_addr))) {
        struct known_name *known = name_table_find(ntohl(address.s_addr));
        if (known != NULL) host = known->name;
    }
    connection_ask(connection, host, port, way);
}

static void advance_http(struct connection *connection) {
    struct http_request request;
    enum http_outcome outcome = http_request_parse(&request, buffer_at(&connection->up), connection->up.length);
    if (outcome == HTTP_READY) {
        buffer_drop(&connection->up, request.length);
        if (!request.connect) {
            size_t length = http_body_take(&request.body, buffer_at(&connection->up), connection->up.length);
            buffer_add(&request.head, buffer_at(&connection->up), length);
            buffer_free(&connection->up);
            connection->up = request.head;
            connection->body = request.body;
            request.head = (struct buffer){0};
        }
        ask(connection, request.host, request.port, request.connect ? WAY(HTTP_CONNECT) : request.tls ? WAY(HTTPS) : WAY(HTTP));
    } else if (outcome == HTTP_BAD) {
        answer(connection, request.status, request.problem);
    }
    buffer_free(&request.head);
}

// True when there may be more to understand.
static bool greet(struct connection *connection) {
    size_t used;
    enum socks_outcome outcome = socks_greeting(buffer_at(&connection->up), connection->up.length, &used);
    if (outcome == SOCKS_MORE) return false;
    uint8_t choice[2] = {SOCKS_VERSION, outcome == SOCKS_READY ? 0 : SOCKS_NO_METHOD};
    if (outcome == SOCKS_BAD) {
        connection_part(connection, choice, sizeof choice);
        return false;
    }
    connection->greeted = true;
    buffer_drop(&connection->up, used);
    connection_tell(connection, choice, sizeof choice);
    return true;
}

static void advance_socks(struct connection *connection) {
    if (!connection->greeted && !greet(connection)) return;
    struct socks_request request;
    enum socks_outcome outcome = socks_parse(&request, buffer_at(&connection->up), connection->up.length);
    if (outcome == SOCKS_READY) {
        buffer_drop(&connection->up, request.length);
        ask(connection, request.host, request.port, WAY(SOCKS));
    } else if (outcome == SOCKS_BAD) {
        answer_socks(connection, request.code);
    } else {
        connection_watch(connection);
    }
}

static void advance(struct connection *connection) {
    if (connection->greeted || buffer_at(&connection->up)[0] == SOCKS_VERSION) advance_socks(connection);
    else advance_http(connection);
}

void proxy_ready(struct connection *connection, uint32_t events) {
    if (events & EPOLLOUT && !connection_write(connection)) return;
    uint8_t piece[4096];
    size_t room = MOST_HEAD - connection->up.length;
    ssize_t n = recv(connection->source.fd, piece, room < sizeof piece ? room : sizeof piece, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        connection_watch(connection);
    } else if (n <= 0) {
        connection_drop(connection);
    } else {
        buffer_add(&connection->up, piece, (size_t) n);
        advance(connection);
    }
}

void proxy_expired(struct connection *connection) {
    if (connection->greeted || (connection->up.length > 0 && buffer_at(&connection->up)[0] == SOCKS_VERSION)) connection_drop(connection);
    else answer(connection, 408, "The request did not come in time.");
}

void proxy_connected(struct connection *connection) {
    static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    uint8_t reply[SOCKS_REPLY_LENGTH];
    if (connection->way == WAY(HTTP_CONNECT)) {
        connection_tell(connection, established, strlen(established));
    } else if (connection->way == WAY(SOCKS)) {
        socks_reply(reply, SOCKS_OK);
        connection_tell(connection, reply, sizeof reply);
    }
    connection_open(connection);
}

static int refused_status(int reason) {
    switch (reason) {
        case REFUSED(POLICY): return 403;
        case REFUSED(LIMIT): return 429;
        case REFUSED(TIMEOUT): return 504;
        default: return 502;
    }
}

static enum socks_code refused_code(int reason) {
    switch (reason) {
        case REFUSED(POLICY): return SOCKS_NOT_ALLOWED;
        case REFUSED(NOT_FOUND): return SOCKS_HOST_UNREACHABLE;
        case REFUSED(UNREACHABLE): return SOCKS_CONNECTION_REFUSED;
        case REFUSED(TIMEOUT): return SOCKS_EXPIRED;
        default: return SOCKS_FAILURE;
    }
}

void proxy_refused(struct connection *connection, const Atoll__Agent__Refused *message) {
    if (connection->way == WAY(SOCKS)) {
        answer_socks(connection, refused_code(message->reason));
    } else if (connection->way == WAY(UDP) || (connection->way == WAY(DIRECT) && connection->port != PLAIN_HTTP)) {
        // Nothing that speaks another protocol could be told why.
        connection_drop(connection);
    } else {
        answer(connection, refused_status(message->reason), message->message);
    }
}
