// File operations, the agent's side: a worker per operation, and its answers on their way to the host.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "channel.h"

struct transfer;

// frame_length: a string with a NUL inside shows as a frame that was longer than its fields.
void files_open(struct channel *channel, const Frame *frame, size_t frame_length);
void files_data(struct transfer *transfer, const Atoll__Agent__Data *message);
void files_eof(struct transfer *transfer);
void files_resume(struct transfer *transfer);
void files_resume_all(void);
void files_close(struct channel *channel);

// A child of the agent has ended; true if it was a worker.
bool files_reaped(pid_t pid, int status);
