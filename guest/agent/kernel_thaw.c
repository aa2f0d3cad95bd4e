// Kernels after a restore.
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"
#include "log.h"
#include "target.h"

enum { CONFIRM_MILLIS = 5000 };

struct thaw {
    const uint8_t *payload;
    size_t length;
    int64_t deadline;
};

static void tell(struct job *job, void *data) {
    const struct thaw *thaw = data;
    struct kernel *kernel = job->kernel;
    if (kernel == NULL || kernel->state == KERNEL_BROKEN || kernel->code.broken) return;
    uint8_t header[KERNEL_HEADER];
    kernel_header(header, KERNEL_THAW, thaw->length);
    inflow_write(&kernel->code, header, sizeof header, thaw->payload, thaw->length);
    // A kernel in the middle of an execution reads its pipe only when told to, and one in the middle of its start will come to it.
    if (job_is_busy(job)) {
        if (kernel->thaw_signal != 0) job_order(job, ORDER_SIGNAL, kernel->thaw_signal);
    } else {
        kernel->thaw_awaited = kernel->state != KERNEL_STARTING;
    }
}

// An idle kernel has nothing else to say, so its answer can be read here, with everything else at rest.
static void confirm(struct job *job, void *data) {
    const struct thaw *thaw = data;
    struct kernel *kernel = job->kernel;
    if (kernel == NULL) return;
    while (kernel->thaw_awaited && kernel->control.fd >= 0 && kernel->state != KERNEL_BROKEN) {
        int64_t left = thaw->deadline - now_millis();
        struct pollfd fd = {.fd = kernel->control.fd, .events = POLLIN};
        if (left <= 0 || poll(&fd, 1, (int) left) == 0) {
            log_line("kernel %d did not confirm the thaw; killing it", (int) job->target);
            job_kill(job);
            break;
        }
        kernel->control.ready(&kernel->control, 0);
        if (kernel->blocked) break;
    }
    kernel->thaw_awaited = false;
}

void kernel_thaw_all(const uint8_t *seed, size_t seed_length) {
    // One byte of seed length, the seed, and the variables, each ending with NUL.
    uint8_t *payload = malloc(2 * MAX_FRAME);
    if (payload == NULL) die(EXIT_INTERNAL, "no memory for a thaw");
    size_t length = 0;
    if (seed_length > 255) seed_length = 255;
    payload[length++] = (uint8_t) seed_length;
    if (seed_length > 0) memcpy(payload + length, seed, seed_length);
    length += seed_length;
    char *const *pairs;
    size_t count = target_thaw_env(&pairs);
    for (size_t i = 0; i < count; i++) {
        size_t size = strlen(pairs[i]) + 1;
        memcpy(payload + length, pairs[i], size);
        length += size;
    }
    struct thaw thaw = {.payload = payload, .length = length, .deadline = now_millis() + CONFIRM_MILLIS};
    job_each(tell, &thaw);
    job_each(confirm, &thaw);
    free(payload);
}
