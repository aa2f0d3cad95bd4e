// Fuzzes the parsers of what programs say to the proxy and to the DNS server.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dns_message.h"
#include "http_request.h"
#include "log.h"
#include "socks.h"

void die(int status, const char *format, ...) {
    (void) status;
    (void) format;
    abort();
}

static void require(bool holds) {
    if (!holds) abort();
}

static void check_host(const char *host) {
    require(strlen(host) > 0 && strlen(host) <= MAX_HOST && strpbrk(host, "\r\n \t/@[]") == NULL);
}

// Every line that the origin gets is one that it may get.
static void check_head(const struct buffer *head) {
    const char *at = (const char *) buffer_at(head), *end = at + head->length;
    require(head->length > 4 && memcmp(end - 4, "\r\n\r\n", 4) == 0);
    int closes = 0, hosts = 0;
    at = (const char *) memchr(at, '\n', head->length) + 1;
    while (at < end) {
        const char *stop = memchr(at, '\r', (size_t) (end - at));
        require(stop != NULL && stop + 1 < end && stop[1] == '\n' && strncasecmp(at, "proxy-", 6) != 0);
        hosts += strncasecmp(at, "host:", 5) == 0;
        if (strncasecmp(at, "connection:", 11) == 0) {
            require(stop - at == 17 && memcmp(at, "Connection: close", 17) == 0);
            closes++;
        }
        at = stop + 2;
    }
    require(closes == 1 && hosts == 1);
}

static void fuzz_request(const uint8_t *data, size_t size) {
    struct http_request request;
    enum http_outcome outcome = http_request_parse(&request, data, size);
    if (outcome == HTTP_MORE) require(size < MOST_HEAD);
    if (outcome == HTTP_BAD) require(request.status >= 400 && request.problem != NULL);
    if (outcome == HTTP_READY) {
        require(request.length <= size && request.port != 0);
        check_host(request.host);
        if (!request.connect) check_head(&request.head);
    }
    buffer_free(&request.head);
}

// The same bytes must mean the same however they are cut.
static void fuzz_body(const uint8_t *data, size_t size, size_t cut) {
    size_t taken[2] = {0, 0};
    struct http_body bodies[2];
    for (int round = 0; round < 2; round++) {
        http_body_init(&bodies[round], true, 0);
        for (size_t at = 0; at < size;) {
            size_t length = round == 0 || size - at < cut ? size - at : cut;
            size_t used = http_body_take(&bodies[round], data + at, length);
            require(used <= length);
            taken[round] += used;
            at += length;
        }
    }
    require(taken[0] == taken[1] && bodies[0].done == bodies[1].done && bodies[0].broken == bodies[1].broken);
}

static void fuzz_socks(const uint8_t *data, size_t size) {
    size_t used;
    if (socks_greeting(data, size, &used) != SOCKS_MORE) require(used <= size);
    struct socks_request request;
    enum socks_outcome outcome = socks_parse(&request, data, size);
    if (outcome != SOCKS_READY) return;
    require(request.length <= size && request.port != 0);
    check_host(request.host);
}

static void fuzz_dns(const uint8_t *data, size_t size) {
    struct dns_query query, again;
    if (!dns_parse(&query, data, size)) return;
    uint8_t answer[DNS_MOST], labels[MAX_HOST + 2];
    static const uint8_t six[16];
    require(dns_answer(answer, &query, DNS_NO_ERROR, six, sizeof six) <= DNS_MOST);
    // An answer is no query, and nobody answers it.
    require(!dns_parse(&again, answer, dns_answer(answer, &query, DNS_REFUSED, NULL, 0)));
    uint32_t address;
    bool reversed = dns_reversed(query.name, &address);
    if (query.name[0] == 0) {
        require(!reversed);
        return;
    }
    check_host(query.name);
    size_t length = dns_labels(labels, query.name);
    require(length == strlen(query.name) + 2 && strncasecmp((char *) labels, (char *) query.question, length) == 0);
    if (reversed) require(dns_answer(answer, &query, DNS_NO_ERROR, labels, length) <= DNS_MOST);
}

static void fuzz_host(const uint8_t *data, size_t size) {
    char host[MAX_HOST + 1];
    uint16_t port;
    if (host_and_port((const char *) data, size, 80, host, &port)) check_host(host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    // A copy of its own, so that reading past the end shows.
    uint8_t *copy = malloc(size - 2 > 0 ? size - 2 : 1);
    memcpy(copy, data + 2, size - 2);
    switch (data[0] % 5) {
        case 0: fuzz_request(copy, size - 2); break;
        case 1: fuzz_body(copy, size - 2, 1u + data[1]); break;
        case 2: fuzz_socks(copy, size - 2); break;
        case 3: fuzz_dns(copy, size - 2); break;
        default: fuzz_host(copy, size - 2);
    }
    free(copy);
    return 0;
}
