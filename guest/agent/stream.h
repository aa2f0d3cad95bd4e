// The byte stream to the host: frames in, frames out.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

// Takes over the two descriptors of the stream.
void stream_open(int in, int out);

// Decodes frames in bytes; each is handed to dispatch_frame. Ends the agent on a malformed one. Returns how much was used.
size_t stream_decode(const uint8_t *bytes, size_t length);

// Queues a frame. Nothing is written before stream_flush.
void stream_send(const Frame *frame);

// Queues an already encoded frame.
void stream_send_raw(const uint8_t *frame, size_t length);

// Writes what the host takes now.
void stream_flush(void);

// True while a source of bulk data may queue another frame. When it has said no, stream_reopened tells once that it would say yes again.
bool stream_has_room(void);
bool stream_can_reopen(void);
bool stream_reopened(void);

// Used while quiesced: waits for the host alone, and looks at nothing else.
void stream_wait_host_only(void);
