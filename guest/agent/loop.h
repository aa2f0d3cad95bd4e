// The event loop: one epoll instance, one thread.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct source {
    int fd;
    uint32_t events;
    bool armed;
    // Counts what was armed, so that events of a descriptor before it was reused are known as such.
    uint32_t arrival;
    void (*ready)(struct source *source, uint32_t events);
    void *owner;
};

void loop_init(void);

// Prepares a source; it is not watched until armed.
void source_init(struct source *source, int fd, uint32_t events, void (*ready)(struct source *, uint32_t), void *owner);

// Arming and disarming add to and delete from epoll, because a source with an empty event mask would still report a hang-up
// and spin the loop.
void source_arm(struct source *source);
void source_disarm(struct source *source);

// Watches for these events from now on; with none, for errors and hang-ups alone.
void source_watch(struct source *source, uint32_t events);

// Disarms, closes the descriptor and makes sure that no event already fetched reaches the source any more.
void source_close(struct source *source);

// Waits at most timeout milliseconds (-1: for ever) and calls what is ready. False when nothing was.
bool loop_wait(int timeout);

int64_t now_millis(void);
