// The guest's way out: the sockets on which the agent listens, and what all connections have in common.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Opens the listening sockets. One that cannot be opened is said in the log, and the agent goes on without it.
void network_open(void);

// Begins to accept.
void network_start(void);

bool network_has_proxy(void);

// True for a port on which the agent listens and no program does.
bool network_is_own_port(uint16_t port);

// True for the inode of a listening socket of the agent.
bool network_is_own_socket(ino_t inode);

// A connection has ended, or the queue to the host has room again: accepting may go on.
void network_made_room(void);
void network_resume(void);

int network_timeout(void);
void network_tick(void);

// After a restore: nobody at the other end knows the connections that there were. Questions for names are asked again, after Thawed.
void network_forget(void);
void network_ask_again(void);

#ifdef ATOLL_FUZZING
// As if a program had connected to this port, at this address in host byte order.
void network_accept_direct(int fd, uint32_t address, uint16_t port);
#endif
