#define _GNU_SOURCE
#include "spare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "descriptors.h"
#include "log.h"
#include "resource_limits.h"
#include "target.h"

enum { MOST_REQUEST = 32 * 1024 };

// What the agent knew at the fork may have changed since, so it comes with the request.
struct request {
    struct limits limits;
    uint32_t message_length, thaw_length;
};

static struct spare_supervisor supervisor = {.pid = -1};
static struct spare_worker worker = {.pid = -1};

static bool open_pipes(int (*pipes)[2], int count) {
    for (int i = 0; i < count; i++) {
        if (pipe2(pipes[i], O_CLOEXEC) == 0) continue;
        while (i-- > 0) {
            close(pipes[i][0]);
            close(pipes[i][1]);
        }
        return false;
    }
    return true;
}

// Waits for the request and takes over what it carries; the message follows. Ends the process when none will come.
static uint8_t *await_request(int fd, struct request *request) {
    static uint8_t bytes[MOST_REQUEST];
    if (read(fd, request, sizeof *request) != sizeof *request) _exit(0);
    size_t length = request->message_length + request->thaw_length;
    for (size_t at = 0; at < length;) {
        ssize_t n = read(fd, bytes + at, length - at);
        if (n <= 0) _exit(0);
        at += (size_t) n;
    }
    close(fd);
    limits = request->limits;
    return bytes;
}

// One write of less than a pipe holds, into a pipe that is empty: it cannot block and cannot be split.
static bool send_request(int fd, struct request *request, uint8_t *buffer, size_t thaw_length) {
    request->limits = limits;
    request->thaw_length = (uint32_t) thaw_length;
    memcpy(buffer, request, sizeof *request);
    size_t length = sizeof *request + request->message_length + thaw_length;
    return write(fd, buffer, length) == (ssize_t) length;
}

static _Noreturn void be_supervisor(int request_fd, int in, int out, int err, int reports, int orders) {
    int keep[] = {request_fd, in, out, err, reports, orders, log_fd};
    descriptors_close_all_but(keep, 7);
    struct request request;
    uint8_t *bytes = await_request(request_fd, &request);
    Atoll__Agent__Start *start = atoll__agent__start__unpack(NULL, request.message_length, bytes);
    if (start == NULL) _exit(1);
    target_take_thaw_env((char *) bytes + request.message_length, request.thaw_length);
    char **argv = calloc(start->n_argv + 1, sizeof *argv);
    if (argv == NULL) _exit(1);
    memcpy(argv, start->argv, start->n_argv * sizeof *argv);
    struct launch launch = {
        .argv = argv, .user = start->user, .cwd = start->cwd, .env = start->env, .env_count = start->n_env,
        .in = start->stdin ? in : -1, .out = out, .err = err, .control_in = -1, .control_out = -1,
        .bounds = start->bounds,
    };
    supervisor_run(&launch, reports, orders);
}

static void prepare_supervisor(void) {
    int pipes[6][2];
    if (!open_pipes(pipes, 6)) return;
    pid_t pid = fork();
    if (pid == 0) be_supervisor(pipes[0][0], pipes[1][0], pipes[2][1], pipes[3][1], pipes[4][1], pipes[5][0]);
    int theirs[] = {pipes[0][0], pipes[1][0], pipes[2][1], pipes[3][1], pipes[4][1], pipes[5][0]};
    int ours[] = {pipes[0][1], pipes[1][1], pipes[2][0], pipes[3][0], pipes[4][0], pipes[5][1]};
    for (int i = 0; i < 6; i++) {
        close(theirs[i]);
        if (pid < 0) close(ours[i]);
        else descriptors_never_block(ours[i]);
    }
    if (pid > 0) {
        supervisor = (struct spare_supervisor){.pid = pid, .request = ours[0], .in = ours[1], .out = ours[2], .err = ours[3], .reports = ours[4], .orders = ours[5]};
    }
}

static _Noreturn void be_worker(int request_fd, int answers, int upload, struct upload_place *place) {
    int keep[] = {request_fd, answers, upload, log_fd};
    descriptors_close_all_but(keep, 4);
    struct request request;
    uint8_t *bytes = await_request(request_fd, &request);
    Frame *frame = atoll__agent__frame__unpack(NULL, request.message_length, bytes);
    if (frame == NULL) _exit(1);
    file_work(frame, frame->channel, place, answers, upload);
}

static void prepare_worker(void) {
    int pipes[3][2];
    if (!open_pipes(pipes, 3)) return;
    struct upload_place *place = mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) die(EXIT_INTERNAL, "out of memory for an upload");
    pid_t pid = fork();
    if (pid == 0) be_worker(pipes[0][0], pipes[1][1], pipes[2][0], place);
    int theirs[] = {pipes[0][0], pipes[1][1], pipes[2][0]};
    int ours[] = {pipes[0][1], pipes[1][0], pipes[2][1]};
    for (int i = 0; i < 3; i++) {
        close(theirs[i]);
        if (pid < 0) close(ours[i]);
        else descriptors_never_block(ours[i]);
    }
    if (pid > 0) worker = (struct spare_worker){.pid = pid, .request = ours[0], .answers = ours[1], .upload = ours[2], .place = place};
    else munmap(place, sizeof *place);
}

// A spare costs memory, and in a template's checkpoint it slows every restore down: there is one of a kind only where one has been asked for.
static bool supervisor_is_wanted, worker_is_wanted;

static bool misses_supervisor(void) {
    return supervisor_is_wanted && supervisor.pid < 0;
}

static bool misses_worker(void) {
    return worker_is_wanted && worker.pid < 0;
}

void spare_prepare(void) {
    if (misses_supervisor()) prepare_supervisor();
    else if (misses_worker()) prepare_worker();
}

bool spare_is_missing(void) {
    return misses_supervisor() || misses_worker();
}

static void drop_supervisor(void) {
    int fds[] = {supervisor.request, supervisor.in, supervisor.out, supervisor.err, supervisor.reports, supervisor.orders};
    for (int i = 0; i < 6; i++) close(fds[i]);
    supervisor.pid = -1;
}

static void drop_worker(void) {
    close(worker.request);
    close(worker.answers);
    close(worker.upload);
    munmap(worker.place, sizeof *worker.place);
    worker.pid = -1;
}

bool spare_take_supervisor(const Atoll__Agent__Start *start, struct spare_supervisor *taken) {
    supervisor_is_wanted = true;
    static uint8_t buffer[sizeof(struct request) + MOST_REQUEST];
    struct request request = {.message_length = (uint32_t) atoll__agent__start__get_packed_size(start)};
    char *const *pairs;
    size_t count = target_thaw_env(&pairs), thaw_length = 0;
    for (size_t i = 0; i < count; i++) thaw_length += strlen(pairs[i]) + 1;
    if (supervisor.pid < 0 || request.message_length + thaw_length > MOST_REQUEST) return false;
    atoll__agent__start__pack(start, buffer + sizeof request);
    uint8_t *at = buffer + sizeof request + request.message_length;
    for (size_t i = 0; i < count; i++) at = (uint8_t *) memcpy(at, pairs[i], strlen(pairs[i]) + 1) + strlen(pairs[i]) + 1;
    if (!send_request(supervisor.request, &request, buffer, thaw_length)) {
        drop_supervisor();
        return false;
    }
    close(supervisor.request);
    *taken = supervisor;
    supervisor.pid = -1;
    return true;
}

bool spare_take_worker(const Frame *frame, struct spare_worker *taken) {
    worker_is_wanted = true;
    static uint8_t buffer[sizeof(struct request) + MOST_REQUEST];
    struct request request = {.message_length = (uint32_t) atoll__agent__frame__get_packed_size(frame)};
    if (worker.pid < 0 || request.message_length > MOST_REQUEST) return false;
    atoll__agent__frame__pack(frame, buffer + sizeof request);
    if (!send_request(worker.request, &request, buffer, 0)) {
        drop_worker();
        return false;
    }
    close(worker.request);
    *taken = worker;
    worker.pid = -1;
    return true;
}

bool spare_reaped(pid_t pid) {
    if (pid == supervisor.pid) drop_supervisor();
    else if (pid == worker.pid) drop_worker();
    else return false;
    return true;
}
