// The ports on which programs of the guest listen.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Answers GetPorts.
void ports_send(void);

// True when a program listens on this port.
bool ports_is_taken(uint16_t port);
