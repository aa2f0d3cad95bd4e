// Who asked the DNS server what, until there is an answer.
#pragma once

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>

struct dns_connection;

// By TCP, or by a datagram.
struct asker {
    struct dns_connection *connection;
    struct sockaddr_in from;
};

// A message has come.
void dns_question(const struct asker *asker, const uint8_t *bytes, size_t length);

// The connection goes away: what it asked need not be answered.
void dns_abandon(struct dns_connection *connection);

// Sends an answer to whoever asked.
void dns_reply(const struct asker *asker, const uint8_t *bytes, size_t length);
