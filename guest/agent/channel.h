// Channels: who is at the other end of an id, and how much may still be sent.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

struct job;
struct transfer;
struct connection;
struct question;

enum channel_kind { CHANNEL_FILE, CHANNEL_PROCESS, CHANNEL_CONTEXT, CHANNEL_NETWORK };

struct channel {
    uint32_t id;
    enum channel_kind kind;
    char tag[MAX_TAG + 1];
    uint64_t sent, send_limit;
    uint64_t received, receive_limit;
    // Position of the next output byte.
    uint64_t offset;
    // Context: the execution under way, 0 when idle, and the highest one seen.
    uint64_t execution, last_execution;
    // Why the agent ended something behind this channel; told in Exit or Done.
    int reason;
    bool exited;
    Exit exit;
    // The host has sent Close; Closed follows when everything behind it is gone.
    bool closing;
    struct job *job;
    struct transfer *transfer;
    struct connection *connection;
    struct question *question;
    struct channel *next;
};

// Returns NULL after answering Failed TOO_MANY. Ends the agent if the id was used before.
struct channel *channel_open(uint32_t id, enum channel_kind kind, const char *tag);

// Opens a channel that the guest asks for. NULL when every id has been used up. Whoever calls bounds how many there are.
struct channel *channel_open_own(void);
struct channel *channel_find(uint32_t id);
void channel_free(struct channel *channel);

// Calls visit for every channel; visit may free the one it is given.
void channel_each(void (*visit)(struct channel *channel, void *data), void *data);

// From now on the host opens ids above those that are open: one that has just come, after a restore or a restart, knows no others.
void channel_count_from_open(void);

// Bytes of payload that a metered frame may carry now; 0: wait.
uint32_t channel_payload_room(const struct channel *channel, uint32_t most);

// Sends a metered frame and counts it.
void channel_send_metered(struct channel *channel, const Frame *frame);

void channel_send_closed(uint32_t id);
void channel_send_ok(uint32_t id);
void channel_send_failed(uint32_t id, int reason, const char *message);

// Counts a metered frame from the host; more than was granted is a protocol error.
void channel_received(struct channel *channel, size_t frame_length);

// Grants the host more once what it sent has been passed on; buffered is what still waits here.
void channel_grant(struct channel *channel, uint64_t buffered);

#ifdef ATOLL_FUZZING
// Each fuzzed conversation starts with ids of its own.
void channel_forget_ids(void);
#endif
