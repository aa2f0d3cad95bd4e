#define _GNU_SOURCE
#include "thaw.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "resource_limits.h"
#include "log.h"
#include "network.h"
#include "processors.h"
#include "stream.h"
#include "target.h"

enum { MAX_HOSTNAME = 64 };

static bool quiesced;

bool thaw_is_quiesced(void) {
    return quiesced;
}

void thaw_quiesce(void) {
    FRAME(frame, 0, QUIESCED, quiesced, Quiesced);
    stream_send(&frame);
    quiesced = true;
}

// gVisor restores with the right time; other machines may wake up in the past. Without CAP_SYS_TIME nothing can be done, and nothing need be.
static void set_clock(uint64_t nanos) {
    struct timespec now;
    if (nanos == 0 || clock_gettime(CLOCK_REALTIME, &now) != 0) return;
    int64_t off = (int64_t) nanos - ((int64_t) now.tv_sec * 1000000000 + now.tv_nsec);
    if (off < 1000000000 && off > -1000000000) return;
    struct timespec wanted = {.tv_sec = (time_t) (nanos / 1000000000), .tv_nsec = (long) (nanos % 1000000000)};
    if (clock_settime(CLOCK_REALTIME, &wanted) != 0 && errno != EPERM) log_line("clock: %s", strerror(errno));
}

static void add_entropy(const uint8_t *seed, size_t length) {
    int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    // Refusal is harmless in gVisor, whose random numbers come from the host.
    if (length > 0 && write(fd, seed, length) < 0) log_line("entropy: %s", strerror(errno));
    close(fd);
}

static void set_hostname(const char *name) {
    size_t length = strlen(name);
    if (length == 0 || length > MAX_HOSTNAME) return;
    if (sethostname(name, length) != 0 && errno != EPERM) log_line("hostname: %s", strerror(errno));
}

void thaw_wake(const Atoll__Agent__Thaw *message) {
    quiesced = false;
    if (message->limits != NULL) limits_set(message->limits);
    processors_set(message->env, message->n_env);
    if (message->restored || message->n_env > 0) target_set_thaw_env(message->env, message->n_env);
    // Also a guest that was not restored may change hands, and then its name.
    set_hostname(message->hostname);
    if (message->restored) {
        network_forget();
        set_clock(message->wall_clock_nanos);
        add_entropy(message->seed.data, message->seed.len);
        kernel_thaw_all(message->seed.data, message->seed.len);
    }
    FRAME(frame, 0, THAWED, thawed, Thawed);
    stream_send(&frame);
    if (message->restored) network_ask_again();
}
