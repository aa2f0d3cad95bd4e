// Names and addresses of hosts as programs write them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_HOST = 253, MAX_LABEL = 63 };

// Lower case, without a dot at the end; out has room for MAX_HOST + 1. False for what no host can be called.
bool host_name_clean(const char *text, size_t length, char *out);

// The same, or an address: IPv4, or IPv6 with or without brackets.
bool host_clean(const char *text, size_t length, char *out);

// "host:port", or "host" where a default is given. False when there is no port and the default is 0.
bool host_and_port(const char *text, size_t length, uint16_t otherwise, char *host, uint16_t *port);
