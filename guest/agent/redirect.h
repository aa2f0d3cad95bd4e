// Everything that programs connect to outside of loopback is led to the agent: the guest's own kernel finds all addresses on loopback, and
// its address translation gives the agent what was meant for them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Leads all TCP connections to addresses beyond 127.0.0.0/10 to this port of 127.0.0.1. False, with errno, where the kernel does not offer that.
// A restored kernel has forgotten it: then it is done again.
bool redirect_install(uint16_t port);

// Where a connection that came that way was to go, in host byte order. False for one that did not.
bool redirect_target(int fd, uint32_t *address, uint16_t *port);
