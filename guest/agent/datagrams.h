// No datagram leaves a guest. The host is told where programs tried to send one, so that it is on record.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// False, with errno, where that cannot be seen.
bool datagrams_open(void);
bool datagrams_open_version6(void);
void datagrams_start(void);

int datagrams_timeout(void);
void datagrams_tick(void);
