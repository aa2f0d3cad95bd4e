// From a decoded frame to what it asks for.
#pragma once

#include <stddef.h>

#include "wire.h"

// length is the encoded length of the frame. Ends the agent if the host breaks the protocol.
void dispatch_frame(const Frame *frame, size_t length);
