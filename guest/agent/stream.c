#include "stream.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "direct.h"
#include "dispatch.h"
#include "log.h"
#include "loop.h"

enum {
    // Bulk data waits in pipes, not here, once this much is queued.
    BULK_WATER = 192 * 1024,
    LOW_WATER = 64 * 1024,
    // A host that asks without reading the answers is not listened to beyond this.
    STOP_READING = 1024 * 1024,
    // What decoding a frame may take: a frame of many tiny fields grows twelvefold.
    SMALL_FRAME = 4 * 1024,
    SMALL_ARENA = 64 * 1024,
    ARENA = 8 * 1024 * 1024,
};

static struct source input, output;
static uint8_t inbox[MAX_FRAME + 4 + 65536];
static size_t inbox_length;
static uint8_t *queue;
static size_t queue_start, queue_length, queue_capacity;
static bool refused_room;

// protobuf-c unpacks into a fixed arena, freed by the next frame: decoding can neither leak nor grow without bound.
// There is a small one, and one for large frames that is mapped when the first of them comes: gVisor copies memory in units of up to 2 MiB when a
// forked process writes to it, so what every guest has must be small.
static uint8_t small_arena[SMALL_ARENA] __attribute__((aligned(16)));
static uint8_t *arena = small_arena;
static size_t arena_used, arena_size = SMALL_ARENA;

static void choose_arena(size_t frame_size) {
    static uint8_t *large;
    arena_used = 0;
    arena = small_arena;
    arena_size = SMALL_ARENA;
    if (frame_size <= SMALL_FRAME) return;
    if (large == NULL) {
        large = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (large == MAP_FAILED) die(EXIT_INTERNAL, "no memory for a large frame");
    }
    arena = large;
    arena_size = ARENA;
}

static void *arena_alloc(void *data, size_t size) {
    (void) data;
    size_t rounded = (size + 15) & ~(size_t) 15;
    if (rounded < size || rounded > arena_size - arena_used) return NULL;
    void *memory = arena + arena_used;
    arena_used += rounded;
    return memory;
}

static void arena_free(void *data, void *memory) {
    (void) data;
    (void) memory;
}

static ProtobufCAllocator allocator = {.alloc = arena_alloc, .free = arena_free};

size_t stream_decode(const uint8_t *bytes, size_t length) {
    size_t used = 0;
    while (length - used >= 4) {
        const uint8_t *at = bytes + used;
        size_t size = (size_t) at[0] << 24 | (size_t) at[1] << 16 | (size_t) at[2] << 8 | at[3];
        if (size > MAX_FRAME) die(EXIT_PROTOCOL, "frame of %zu bytes, at most %d", size, MAX_FRAME);
        if (length - used - 4 < size) break;
        choose_arena(size);
        Frame *frame = atoll__agent__frame__unpack(&allocator, size, at + 4);
        if (frame == NULL) die(EXIT_PROTOCOL, "frame of %zu bytes cannot be decoded", size);
        dispatch_frame(frame, size);
        used += 4 + size;
    }
    return used;
}

static void read_input(struct source *source, uint32_t events) {
    (void) events;
    ssize_t n = direct_read(source->fd, inbox + inbox_length, sizeof inbox - inbox_length);
    if (n < 0) {
        if (errno == EAGAIN || errno == EINTR) return;
        die(EXIT_PROTOCOL, "reading from the host: %s", strerror(errno));
    }
    if (n == 0) die(0, "the host has closed the stream");
    inbox_length += (size_t) n;
    size_t used = stream_decode(inbox, inbox_length);
    inbox_length -= used;
    if (used > 0 && inbox_length > 0) memmove(inbox, inbox + used, inbox_length);
    if (queue_length > STOP_READING) source_disarm(source);
}

static uint8_t *queue_reserve(size_t more) {
    if (queue_start + queue_length + more > queue_capacity) {
        if (queue_start > 0) memmove(queue, queue + queue_start, queue_length);
        queue_start = 0;
        while (queue_length + more > queue_capacity) {
            queue_capacity = queue_capacity ? queue_capacity * 2 : 512 * 1024;
            queue = realloc(queue, queue_capacity);
            if (queue == NULL) die(EXIT_INTERNAL, "out of memory for %zu queued bytes", queue_capacity);
        }
    }
    return queue + queue_start + queue_length;
}

static void put_length(uint8_t *at, size_t size) {
    at[0] = (uint8_t) (size >> 24);
    at[1] = (uint8_t) (size >> 16);
    at[2] = (uint8_t) (size >> 8);
    at[3] = (uint8_t) size;
}

void stream_send(const Frame *frame) {
    size_t size = atoll__agent__frame__get_packed_size(frame);
    if (size > MAX_FRAME) die(EXIT_INTERNAL, "built a frame of %zu bytes", size);
    uint8_t *at = queue_reserve(4 + size);
    put_length(at, size);
    atoll__agent__frame__pack(frame, at + 4);
    queue_length += 4 + size;
}

void stream_send_raw(const uint8_t *frame, size_t length) {
    uint8_t *at = queue_reserve(4 + length);
    put_length(at, length);
    memcpy(at + 4, frame, length);
    queue_length += 4 + length;
}

void stream_flush(void) {
    while (queue_length > 0) {
        ssize_t n = direct_write(output.fd, queue + queue_start, queue_length);
        if (n < 0) {
            if (errno == EINTR) continue;
            if (errno == EAGAIN) {
                source_arm(&output);
                return;
            }
            die(EXIT_PROTOCOL, "writing to the host: %s", strerror(errno));
        }
        queue_start += (size_t) n;
        queue_length -= (size_t) n;
    }
    queue_start = 0;
    source_disarm(&output);
    if (!input.armed) source_arm(&input);
}

static void output_ready(struct source *source, uint32_t events) {
    (void) source;
    (void) events;
    // The loop flushes after each batch; nothing else to do here.
}

bool stream_has_room(void) {
    if (queue_length < BULK_WATER) return true;
    refused_room = true;
    return false;
}

bool stream_can_reopen(void) {
    return refused_room && queue_length <= LOW_WATER;
}

bool stream_reopened(void) {
    if (!stream_can_reopen()) return false;
    refused_room = false;
    return true;
}

void stream_wait_host_only(void) {
    struct pollfd fds[2] = {{.fd = input.fd, .events = POLLIN}, {.fd = queue_length > 0 ? output.fd : -1, .events = POLLOUT}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) die(EXIT_INTERNAL, "poll: %s", strerror(errno));
    if (fds[1].revents != 0) stream_flush();
    if (fds[0].revents != 0) read_input(&input, EPOLLIN);
}

void stream_open(int in, int out) {
    source_init(&input, in, EPOLLIN, read_input, NULL);
    source_init(&output, out, EPOLLOUT, output_ready, NULL);
    source_arm(&input);
}
