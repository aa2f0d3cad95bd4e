// Questions to the guest's DNS server, and its answers (RFC 1035).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host_name.h"

enum {
    DNS_MOST = 512,
    DNS_MOST_QUESTION = 255 + 4,
    DNS_A = 1,
    DNS_PTR = 12,
    DNS_AAAA = 28,
    DNS_IN = 1,
    DNS_QUERY = 0,
};

enum dns_code { DNS_NO_ERROR = 0, DNS_SERVER_FAILURE = 2, DNS_NO_SUCH_NAME = 3, DNS_NOT_IMPLEMENTED = 4, DNS_REFUSED = 5 };

struct dns_query {
    uint16_t id, type, class;
    uint8_t opcode;
    bool recursion;
    // Empty when it is the root, or holds bytes that no host's name has.
    char name[MAX_HOST + 1];
    // The question as it came, to be repeated in the answer.
    uint8_t question[DNS_MOST_QUESTION];
    size_t question_length;
};

// False for what is no well-formed query of one question.
bool dns_parse(struct dns_query *query, const uint8_t *packet, size_t length);

// Writes an answer of at most DNS_MOST bytes: with one record of the question's type, or with none when there is no data.
size_t dns_answer(uint8_t *out, const struct dns_query *query, enum dns_code code, const uint8_t *data, size_t data_length);

// A name as labels, for the data of a PTR record; out has room for MAX_HOST + 2. Returns its length.
size_t dns_labels(uint8_t *out, const char *name);

// The address behind a name such as 9.7.64.127.in-addr.arpa, in host byte order.
bool dns_reversed(const char *name, uint32_t *address);
