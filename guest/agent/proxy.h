// What programs ask of the proxy, and what they hear from it.
#pragma once

#include "connection.h"
#include "wire.h"

// A program has connected.
void proxy_begin(int fd);
void proxy_ready(struct connection *connection, uint32_t events);
void proxy_expired(struct connection *connection);

// The host's answers, for direct connections too.
void proxy_connected(struct connection *connection);
void proxy_refused(struct connection *connection, const Atoll__Agent__Refused *message);
