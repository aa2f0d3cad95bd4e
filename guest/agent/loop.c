#include "loop.h"

#include <errno.h>
#include <stddef.h>
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

void loop_init(void) {
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (epoll_fd < 0) die(EXIT_INTERNAL, "epoll_create1: %s", strerror(errno));
}

void source_init(struct source *source, int fd, uint32_t events, void (*ready)(struct source *, uint32_t), void *owner) {
    *source = (struct source){.fd = fd, .events = events, .ready = ready, .owner = owner};
}

void source_arm(struct source *source) {
    if (source->armed || source->fd < 0) return;
    struct epoll_event event = {.events = source->events, .data.ptr = source};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, source->fd, &event) != 0) {
        die(EXIT_INTERNAL, "epoll_ctl add %d: %s", source->fd, strerror(errno));
    }
    source->armed = true;
}

void source_watch(struct source *source, uint32_t events) {
    if (source->fd < 0 || (source->armed && source->events == events)) return;
    source->events = events;
    if (!source->armed) {
        source_arm(source);
        return;
    }
    struct epoll_event event = {.events = events, .data.ptr = source};
    if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, source->fd, &event) != 0) die(EXIT_INTERNAL, "epoll_ctl mod %d: %s", source->fd, strerror(errno));
}

void source_disarm(struct source *source) {
    if (!source->armed) return;
    epoll_ctl(epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
    source->armed = false;
    for (int i = 0; i < batch_size; i++) {
        if (batch[i].data.ptr == source) batch[i].data.ptr = NULL;
    }
}

void source_close(struct source *source) {
    source_disarm(source);
    if (source->fd >= 0) close(source->fd);
    source->fd = -1;
}

bool loop_wait(int timeout) {
    batch_size = direct_epoll_wait(epoll_fd, batch, BATCH, timeout);
    if (batch_size < 0) {
        if (errno != EINTR) die(EXIT_INTERNAL, "epoll_wait: %s", strerror(errno));
        batch_size = 0;
    }
    bool any = batch_size > 0;
    // Starting at another place each time keeps one busy source from always being served first.
    rotation++;
    for (int i = 0; i < batch_size; i++) {
        struct epoll_event *event = &batch[(rotation + (unsigned) i) % (unsigned) batch_size];
        struct source *source = event->data.ptr;
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
