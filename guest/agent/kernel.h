// Language kernels: the processes behind contexts.
#pragma once

#include <stdbool.h>

#include "channel.h"
#include "config.h"
#include "inflow.h"
#include "job.h"
#include "kernel_message.h"
#include "loop.h"

enum { KERNEL_BUFFER = 32 * 1024 };

struct kernel {
    struct job *job;
    const struct language *language;
    // STARTING until it says that it is ready; OPEN once its context stands; BROKEN after garbage.
    enum { KERNEL_STARTING, KERNEL_SPARE, KERNEL_OPEN_STATE, KERNEL_BROKEN } state;
    // Started has been sent: its end is told by Exit, not by Failed.
    bool announced;
    // It said that it can ask.
    bool asks;
    // It leaves out what the user has put before every start of Python; an earlier one ended while it started.
    bool cautious;
    // What opens its context, until that stands.
    uint8_t *opening;
    size_t opening_length;
    // The execution under way has been interrupted.
    bool interrupted;
    // The execution whose Done has been sent with the promise of another one, once nothing is left of what it started.
    uint64_t promised;
    // Sent to a kernel that is busy when a thaw message awaits it; 0: it cannot be told.
    int thaw_signal;
    bool thaw_awaited;
    // The execution whose code is arriving.
    uint64_t loading;
    struct inflow code;
    struct source control;
    struct kernel_parser parser;
    uint8_t buffer[KERNEL_BUFFER];
    size_t start, length;
    // What was printed before the buffered messages must be sent before them.
    bool drain_first;
    bool blocked;
};

// Starts the spare kernel that the configuration asks for.
void kernel_start_spare(void);
bool kernel_spare_is_starting(void);
// False when there is none, since it has ended.
bool kernel_has_spare(void);

void kernel_open(struct channel *channel, const Atoll__Agent__OpenContext *message);
void kernel_execute(struct channel *channel, const Atoll__Agent__Execute *message);
void kernel_answer(struct channel *channel, const Atoll__Agent__Answer *message);
void kernel_interrupt(struct channel *channel);

// Passes on what the kernel has said, as far as credit reaches.
void kernel_advance(struct kernel *kernel);

// Called by its job: could not be executed; has ended; is to be forgotten.
void kernel_failed(struct kernel *kernel, int reason, const char *message);
void kernel_ended(struct kernel *kernel);
void kernel_free(struct kernel *kernel);
// All that it has started has been ended.
void kernel_cleared(struct kernel *kernel);

// Tells every kernel to reseed and to take the variables over, and waits for those that are idle to confirm.
void kernel_thaw_all(const uint8_t *seed, size_t seed_length);
