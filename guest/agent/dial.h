// Connections that the host makes to ports of the guest.
#pragma once

#include "channel.h"
#include "connection.h"

void dial_open(struct channel *channel, uint32_t port);

// connect() has come to an end.
void dial_ready(struct connection *connection);
void dial_expired(struct connection *connection);
