#include "inflow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

#include "channel.h"
#include "direct.h"
#include "log.h"

static void stop(struct inflow *inflow) {
    source_close(&inflow->source);
    free(inflow->bytes);
    inflow->bytes = NULL;
    inflow->start = inflow->length = inflow->capacity = 0;
    inflow->broken = true;
}

static void drain(struct source *source, uint32_t events) {
    struct inflow *inflow = source->owner;
    if (inflow->length > 0) {
        ssize_t n = write(source->fd, inflow->bytes + inflow->start, inflow->length);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (n < 0) {
            stop(inflow);
        } else {
            inflow->start += (size_t) n;
            inflow->length -= (size_t) n;
        }
    } else if (events & (EPOLLERR | EPOLLHUP)) {
        stop(inflow);
    }
    if (inflow->channel != NULL) channel_grant(inflow->channel, inflow->length);
    if (inflow->broken || inflow->length > 0) return;
    inflow->start = 0;
    if (inflow->ending) {
        stop(inflow);
    } else {
        source_disarm(source);
    }
}

void inflow_init(struct inflow *inflow, int fd, struct channel *channel) {
    *inflow = (struct inflow){.channel = channel, .broken = fd < 0};
    source_init(&inflow->source, fd, EPOLLOUT, drain, inflow);
}

static void keep(struct inflow *inflow, const uint8_t *bytes, size_t length) {
    if (length == 0) return;
    if (inflow->start + inflow->length + length > inflow->capacity) {
        if (inflow->start > 0) memmove(inflow->bytes, inflow->bytes + inflow->start, inflow->length);
        inflow->start = 0;
        while (inflow->length + length > inflow->capacity) {
            inflow->capacity = inflow->capacity ? inflow->capacity * 2 : 65536;
            inflow->bytes = realloc(inflow->bytes, inflow->capacity);
            if (inflow->bytes == NULL) die(EXIT_INTERNAL, "out of memory for %zu bytes of input", inflow->capacity);
        }
    }
    memcpy(inflow->bytes + inflow->start + inflow->length, bytes, length);
    inflow->length += length;
}

void inflow_write(struct inflow *inflow, const void *head, size_t head_length, const void *body, size_t body_length) {
    if (inflow->broken || inflow->ending) {
        if (inflow->channel != NULL) channel_grant(inflow->channel, inflow->length);
        return;
    }
    size_t done = 0;
    if (inflow->length == 0) {
        struct iovec parts[2] = {{(void *) head, head_length}, {(void *) body, body_length}};
        ssize_t n = direct_writev(inflow->source.fd, parts, 2);
        if (n < 0 && errno != EAGAIN && errno != EINTR) {
            stop(inflow);
            n = 0;
        }
        if (n > 0) done = (size_t) n;
    }
    if (!inflow->broken) {
        if (done < head_length) {
            keep(inflow, (const uint8_t *) head + done, head_length - done);
            done = head_length;
        }
        size_t rest = body_length - (done - head_length);
        if (rest > 0) keep(inflow, (const uint8_t *) body + (body_length - rest), rest);
        if (inflow->length > 0) source_arm(&inflow->source);
    }
    if (inflow->channel != NULL) channel_grant(inflow->channel, inflow->length);
}

void inflow_end(struct inflow *inflow) {
    if (inflow->broken) return;
    inflow->ending = true;
    if (inflow->length == 0) stop(inflow);
}

void inflow_close(struct inflow *inflow) {
    stop(inflow);
    inflow->channel = NULL;
}
