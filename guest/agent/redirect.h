// Everything that programs connect to outside of loopback is led to the agent: the guest's own kernel finds all addresses on loopback, and
// its address translation gives the agent what was meant for them.
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

union redirect_address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

// Leads all TCP connections to addresses beyond 127.0.0.0/10 to this port of 127.0.0.1. False, with errno, where the kernel does not offer that.
// A restored kernel has forgotten it: then it is done again.
bool redirect_install(uint16_t port);

// The same for all IPv6 addresses but ::1, to this port of ::1.
bool redirect_install_version6(uint16_t port);

// Where a connection that came that way was to go. False for one that did not.
bool redirect_target(int fd, union redirect_address *target);
