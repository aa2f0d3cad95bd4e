#include "channel.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "stream.h"
#include "utf8.h"

enum { BUCKETS = 2048, GRANT_STEP = 65536 };

static struct channel *buckets[BUCKETS];
static unsigned count;
static uint32_t last_id, last_own_id = FIRST_OWN_CHANNEL - 1;

static struct channel *add(uint32_t id, enum channel_kind kind, const char *tag) {
    struct channel *channel = calloc(1, sizeof *channel);
    if (channel == NULL) die(EXIT_INTERNAL, "out of memory for a channel");
    channel->id = id;
    channel->kind = kind;
    strncpy(channel->tag, tag, MAX_TAG);
    channel->send_limit = channel->receive_limit = INITIAL_CREDIT;
    atoll__agent__exit__init(&channel->exit);
    channel->next = buckets[id % BUCKETS];
    buckets[id % BUCKETS] = channel;
    return channel;
}

struct channel *channel_open(uint32_t id, enum channel_kind kind, const char *tag) {
    if (id >= FIRST_OWN_CHANNEL) die(EXIT_PROTOCOL, "channel %u is the guest's to open", id);
    if (id <= last_id) die(EXIT_PROTOCOL, "channel %u opened after %u", id, last_id);
    last_id = id;
    if (count >= MAX_CHANNELS) {
        channel_send_failed(id, FAILED(TOO_MANY), "at most 1024 channels can be open at once");
        return NULL;
    }
    count++;
    return add(id, kind, tag);
}

struct channel *channel_open_own(void) {
    if (last_own_id == UINT32_MAX) return NULL;
    return add(++last_own_id, CHANNEL_NETWORK, "");
}

struct channel *channel_find(uint32_t id) {
    struct channel *channel = buckets[id % BUCKETS];
    while (channel != NULL && channel->id != id) channel = channel->next;
    return channel;
}

void channel_free(struct channel *channel) {
    struct channel **link = &buckets[channel->id % BUCKETS];
    while (*link != channel) link = &(*link)->next;
    *link = channel->next;
    if (channel->id < FIRST_OWN_CHANNEL) count--;
    free(channel);
}

void channel_each(void (*visit)(struct channel *channel, void *data), void *data) {
    for (unsigned i = 0; i < BUCKETS; i++) {
        for (struct channel *channel = buckets[i], *next; channel != NULL; channel = next) {
            next = channel->next;
            visit(channel, data);
        }
    }
}

uint32_t channel_payload_room(const struct channel *channel, uint32_t most) {
    if (!stream_has_room() || channel->send_limit < channel->sent + LEAST_CREDIT) return 0;
    uint64_t room = channel->send_limit - channel->sent - FRAME_OVERHEAD;
    return room < most ? (uint32_t) room : most;
}

void channel_send_metered(struct channel *channel, const Frame *frame) {
    channel->sent += atoll__agent__frame__get_packed_size(frame);
    stream_send(frame);
}

void channel_send_closed(uint32_t id) {
    FRAME(frame, id, CLOSED, closed, Closed);
    stream_send(&frame);
}

void channel_send_ok(uint32_t id) {
    FRAME(frame, id, OK, ok, Ok);
    stream_send(&frame);
}

void channel_send_failed(uint32_t id, int reason, const char *message) {
    FRAME(frame, id, FAILED, failed, Failed);
    frame_body.reason = reason;
    // Messages name paths, and may have been cut; the host refuses a frame whose text is not UTF-8.
    char clean[UTF8_GROWTH * 256];
    utf8_clean(message, clean, sizeof clean);
    frame_body.message = clean;
    stream_send(&frame);
}

void channel_received(struct channel *channel, size_t frame_length) {
    channel->received += frame_length;
    if (channel->received > channel->receive_limit) {
        die(EXIT_PROTOCOL, "channel %u received %llu bytes, at most %llu", channel->id, (unsigned long long) channel->received,
            (unsigned long long) channel->receive_limit);
    }
}

static void note_id(struct channel *channel, void *data) {
    uint32_t *highest = data;
    if (channel->id < FIRST_OWN_CHANNEL && channel->id > *highest) *highest = channel->id;
}

void channel_count_from_open(void) {
    last_id = 0;
    channel_each(note_id, &last_id);
}

void channel_grant(struct channel *channel, uint64_t buffered) {
    uint64_t passed = channel->received > buffered ? channel->received - buffered : 0;
    uint64_t limit = passed + INITIAL_CREDIT;
    if (limit < channel->receive_limit + GRANT_STEP) return;
    channel->receive_limit = limit;
    FRAME(frame, channel->id, CREDIT, credit, Credit);
    frame_body.limit = limit;
    stream_send(&frame);
}

#ifdef ATOLL_FUZZING
void channel_forget_ids(void) {
    last_id = 0;
    last_own_id = FIRST_OWN_CHANNEL - 1;
}
#endif
