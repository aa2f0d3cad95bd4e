// The head of a request to the proxy.
#pragma once

#include "buffer.h"
#include "host_name.h"
#include "http_body.h"

enum { MOST_HEAD = 16 * 1024 };

enum http_outcome { HTTP_MORE, HTTP_READY, HTTP_BAD };

struct http_request {
    // CONNECT; otherwise a plain request for an absolute address.
    bool connect;
    // A plain request for an https:// address, for which the host speaks TLS.
    bool tls;
    char host[MAX_HOST + 1];
    uint16_t port;
    // Length of the head as it came.
    size_t length;
    // Plain: the head as the origin shall see it, and what follows it.
    struct buffer head;
    struct http_body body;
    // What a bad request is answered with.
    int status;
    const char *problem;
};

// The caller frees request->head, whatever comes out.
enum http_outcome http_request_parse(struct http_request *request, const uint8_t *bytes, size_t length);
