// A job is a supervised process with its pipes: what Start runs, and what a language kernel runs in.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "channel.h"
#include "inflow.h"
#include "loop.h"
#include "supervisor.h"

struct kernel;

enum pump { PUMP_EMPTY, PUMP_MORE, PUMP_BLOCKED, PUMP_CLOSED };

struct outflow {
    struct source source;
    int stream;
    // Read and thrown away: the job's channel is gone or its Exit has been sent.
    bool dropping;
    // Waits for credit or for room in the queue to the host.
    bool blocked;
    // Since the drain began.
    uint32_t drained_bytes;
    bool drained;
};

struct job {
    // NULL for a spare kernel, and once the host has forgotten the channel.
    struct channel *channel;
    struct kernel *kernel;
    pid_t supervisor, target;
    struct source reports;
    int orders;
    struct inflow in;
    struct outflow out[2];
    bool terminal;
    bool started;
    // The target has ended with this report; Exit follows when its output is drained.
    bool ended, draining;
    // All of it is being killed: what its kernel still says comes too late.
    bool doomed;
    // Its files grow no more, since when, and how much of the disk was in use then and when writes that were under way had ended; see disk_cap.h.
    bool capped;
    int64_t capped_at;
    uint64_t capped_use, settled_use;
    struct report end;
    struct job *previous, *next;
};

// Answers Started or Failed on the channel.
void job_start_process(struct channel *channel, const Atoll__Agent__Start *start);

// Starts a kernel's process: control descriptors are passed on as 3 and 4. NULL when nothing can be started.
struct job *job_start_kernel(struct kernel *kernel, struct launch *launch);

// Takes a job up whose pipes stand and whose supervisor has been started.
void job_register(struct job *job, pid_t supervisor, int reports, int orders);

void job_order(struct job *job, enum order_type type, int signal);

// Kills every process of the job; job_gone follows when none is left.
void job_kill(struct job *job);

// The host forgets the channel: what still runs goes on unseen.
void job_detach(struct job *job);

void job_resize(struct job *job, uint32_t rows, uint32_t columns);

// Reads one piece of output of one stream and passes it on.
enum pump job_pump(struct job *job, struct outflow *out);

// Begins to read whatever has been written up to now; job_drain says whether all of it has been sent.
void job_drain_begin(struct job *job);
bool job_drain(struct job *job);

// Credit has come, or the queue to the host has room again.
void job_resume(struct job *job);

void job_each(void (*visit)(struct job *job, void *data), void *data);
unsigned job_count(void);

// True when something runs that may use resources: a process, or a kernel with an execution.
bool job_is_busy(const struct job *job);

// The job whose supervisor has this pid.
struct job *job_of_supervisor(pid_t supervisor);

// Drops everything about a job whose supervisor is gone, and answers the host.
void job_free(struct job *job);

// Fills Exit from the report of the end.
void job_describe_end(const struct job *job, Exit *exit);
