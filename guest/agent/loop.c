#include "loop.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "direct.h"
#include "log.h"

enum { BATCH = 64 };

static int epoll_fd = -1;
static struct epoll_event batch[BATCH];
static int batch_size;
static unsigned rotation;

// The armed sources by descriptor. An event names a descriptor and which of its arrivals it is about, not memory: after a restore
// gVisor may still tell of a socket that was taken out and closed shortly before the checkpoint.
static struct source **sources;
static size_t sources_size;
static uint32_t arrivals;

static void register_source(struct source *source) {
    size_t index = (size_t) source->fd;
    if (index >= sources_size) {
        size_t size = (index + 1) * 2;
        struct source **grown = realloc(sources, size * sizeof *grown);
        if (grown == NULL) die(EXIT_INTERNAL, "out of memory for %zu descriptors", size);
        memset(grown + sources_size, 0, (size - sources_size) * sizeof *grown);
        sources = grown;
        sources_size = size;
    }
    sources[index] = source;
}

static uint64_t name_of(const struct source *source) {
    return (uint64_t) source->arrival << 32 | (uint32_t) source->fd;
}

// NULL for one that is gone, also when another has its descriptor now.
static struct source *source_named(uint64_t name) {
    uint32_t fd = (uint32_t) name;
    struct source *source = fd < sources_size ? sources[fd] : NULL;
    return source != NULL && name_of(source) == name ? source : NULL;
}

void loop_init(void) {
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0) die(EXIT_INTERNAL, "epoll_create1: %s", strerror(errno));
}

void source_init(struct source *source, int fd, uint32_t events, void (*ready)(struct source *, uint32_t), void *owner) {
    *source = (struct source){.fd = fd, .events = events, .ready = ready, .owner = owner};
}

void source_arm(struct source *source) {
    if (source->armed || source->fd < 0) return;
    source->arrival = ++arrivals;
    struct epoll_event event = {.events = source->events, .data.u64 = name_of(source)};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, source->fd, &event) != 0) {
        die(EXIT_INTERNAL, "epoll_ctl add %d: %s", source->fd, strerror(errno));
    }
    source->armed = true;
    register_source(source);
}

void source_watch(struct source *source, uint32_t events) {
    if (source->fd < 0 || (source->armed && source->events == events)) return;
    source->events = events;
    if (!source->armed) {
        source_arm(source);
        return;
    }
    struct epoll_event event = {.events = events, .data.u64 = name_of(source)};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, source->fd, &event) != 0) die(EXIT_INTERNAL, "epoll_ctl mod %d: %s", source->fd, strerror(errno));
}

void source_disarm(struct source *source) {
    if (!source->armed) return;
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
    source->armed = false;
    sources[source->fd] = NULL;
}

void source_close(struct source *source) {
    source_disarm(source);
    if (source->fd >= 0) close(source->fd);
    source->fd = -1;
}

// Whether there are events of what is not watched any more. Nothing has been disarmed since they were asked for.
static bool has_strangers(void) {
    for (int i = 0; i < batch_size; i++) {
        if (source_named(batch[i].data.u64) == NULL) return true;
    }
    return false;
}

// Watches the same with a new epoll, since the old one would tell of what is gone without end.
static void renew(void) {
    close(epoll_fd);
    loop_init();
    for (size_t fd = 0; fd < sources_size; fd++) {
        if (sources[fd] == NULL) continue;
        sources[fd]->armed = false;
        source_arm(sources[fd]);
    }
}

bool loop_wait(int timeout) {
    batch_size = direct_epoll_wait(epoll_fd, batch, BATCH, timeout);
    if (batch_size < 0) {
        if (errno != EINTR) die(EXIT_INTERNAL, "epoll_wait: %s", strerror(errno));
        batch_size = 0;
    }
    if (has_strangers()) renew();
    bool any = batch_size > 0;
    // Starting at another place each time keeps one busy source from always being served first.
    rotation++;
    for (int i = 0; i < batch_size; i++) {
        struct epoll_event *event = &batch[(rotation + (unsigned) i) % (unsigned) batch_size];
        struct source *source = source_named(event->data.u64);
        if (source != NULL) source->ready(source, event->events);
    }
    batch_size = 0;
    return any;
}

int64_t now_millis(void) {
    struct timespec now;
    direct_clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
