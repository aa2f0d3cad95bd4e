// Questions to the DNS server that come over TCP.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dns_connection;

void dns_tcp_open(uint32_t address, uint16_t port);
void dns_tcp_start(void);
bool dns_tcp_is_own_socket(ino_t inode);

// The answer to the one question of this connection that is open.
void dns_tcp_answer(struct dns_connection *connection, const uint8_t *bytes, size_t length);

// The question was none.
void dns_tcp_drop(struct dns_connection *connection);

// Whether a connection has a deadline to be looked after.
bool dns_tcp_is_busy(void);
void dns_tcp_expire(int64_t now);
void dns_tcp_drop_all(void);
