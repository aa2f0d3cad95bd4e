// Questions about the guest as a whole.
#pragma once

#include "wire.h"

void control_hello(void);
void control_ping(const Atoll__Agent__Ping *message);
void control_stats(void);
void control_channels(void);
