// Standing still for a checkpoint, and going on after it.
#pragma once

#include <stdbool.h>

#include "wire.h"

// From Quiesce to Thaw: the loop listens to the host alone.
bool thaw_is_quiesced(void);

void thaw_quiesce(void);
void thaw_wake(const Atoll__Agent__Thaw *message);
