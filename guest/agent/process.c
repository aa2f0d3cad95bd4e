// Start: pipes or a terminal, and a job around them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "descriptors.h"
#include "job.h"
#include "log.h"
#include "spare.h"

static void output_ready(struct source *source, uint32_t events) {
    (void) events;
    struct job *job = source->owner;
    job_pump(job, source == &job->out[0].source ? &job->out[0] : &job->out[1]);
    if (job->draining) job_resume(job);
}

static void close_fd(int fd) {
    if (fd >= 0) close(fd);
}

static void watch_output(struct job *job, int index, int fd, int stream) {
    descriptors_never_block(fd);
    source_init(&job->out[index].source, fd, EPOLLIN, output_ready, job);
    job->out[index].stream = stream;
}

static bool open_terminal(struct job *job, struct launch *launch, const Atoll__Agent__Resize *size) {
    struct winsize window = {.ws_row = (unsigned short) size->rows, .ws_col = (unsigned short) size->columns};
    int master, slave;
    if (openpty(&master, &slave, NULL, NULL, &window) != 0) return false;
    int input = fcntl(master, F_DUPFD_CLOEXEC, 3);
    if (input < 0 || fcntl(master, F_SETFD, FD_CLOEXEC) != 0 || fcntl(slave, F_SETFD, FD_CLOEXEC) != 0) {
        close_fd(input);
        close(master);
        close(slave);
        return false;
    }
    job->terminal = true;
    launch->terminal = 1;
    launch->in = launch->out = launch->err = slave;
    watch_output(job, 0, master, STREAM(BYTES));
    watch_output(job, 1, -1, STREAM(BYTES));
    inflow_init(&job->in, input, job->channel);
    return true;
}

static bool open_pipes(struct job *job, struct launch *launch, bool with_stdin) {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
    bool opened = (!with_stdin || pipe2(in, O_CLOEXEC) == 0) && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0;
    if (!opened) {
        for (int i = 0; i < 2; i++) {
            close_fd(in[i]);
            close_fd(out[i]);
            close_fd(err[i]);
        }
        return false;
    }
    descriptors_never_block(in[1]);
    inflow_init(&job->in, in[1], job->channel);
    launch->in = in[0];
    launch->out = out[1];
    launch->err = err[1];
    watch_output(job, 0, out[0], STREAM(STDOUT));
    watch_output(job, 1, err[0], STREAM(STDERR));
    return true;
}

static void close_child_ends(const struct launch *launch) {
    close_fd(launch->in);
    if (launch->terminal) return;
    close_fd(launch->out);
    close_fd(launch->err);
}

static void discard(struct job *job) {
    inflow_close(&job->in);
    for (int i = 0; i < 2; i++) source_close(&job->out[i].source);
    free(job);
}

static struct job *new_job(struct channel *channel, struct kernel *kernel) {
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL) die(EXIT_INTERNAL, "out of memory for a job");
    job->channel = channel;
    job->kernel = kernel;
    job->orders = -1;
    return job;
}

// Starts what launch says with pipes or a terminal around it; NULL when the guest is out of descriptors or processes.
static struct job *start(struct channel *channel, struct kernel *kernel, struct launch *launch, bool with_stdin, const Atoll__Agent__Resize *pty) {
    struct job *job = new_job(channel, kernel);
    bool opened = pty != NULL ? open_terminal(job, launch, pty) : open_pipes(job, launch, with_stdin);
    if (!opened) {
        free(job);
        return NULL;
    }
    int reports, orders;
    pid_t supervisor = supervisor_start(launch, &reports, &orders);
    close_child_ends(launch);
    if (supervisor < 0) {
        discard(job);
        return NULL;
    }
    job_register(job, supervisor, reports, orders);
    return job;
}

// The quick way: a supervisor that waits with pipes of its own.
static struct job *start_spare(struct channel *channel, const Atoll__Agent__Start *message) {
    struct spare_supervisor spare;
    if (message->pty != NULL || !spare_take_supervisor(message, &spare)) return NULL;
    struct job *job = new_job(channel, NULL);
    if (!message->stdin) close(spare.in);
    inflow_init(&job->in, message->stdin ? spare.in : -1, channel);
    watch_output(job, 0, spare.out, STREAM(STDOUT));
    watch_output(job, 1, spare.err, STREAM(STDERR));
    job_register(job, spare.pid, spare.reports, spare.orders);
    return job;
}

void job_start_process(struct channel *channel, const Atoll__Agent__Start *message) {
    bool empty = message->n_argv == 0 || message->argv[0][0] == 0;
    if (empty || (message->pty != NULL && message->bounds != NULL)) {
        channel_send_failed(channel->id, FAILED(INVALID), empty ? "argv is empty" : "pty and bounds exclude each other");
        channel_free(channel);
        return;
    }
    channel->job = start_spare(channel, message);
    if (channel->job != NULL) return;
    char **argv = calloc(message->n_argv + 1, sizeof *argv);
    if (argv == NULL) die(EXIT_INTERNAL, "out of memory for arguments");
    memcpy(argv, message->argv, message->n_argv * sizeof *argv);
    struct launch launch = {
        .argv = argv,
        .user = message->user,
        .cwd = message->cwd,
        .env = message->env,
        .env_count = message->n_env,
        .in = -1, .out = -1, .err = -1, .control_in = -1, .control_out = -1,
        .bounds = message->bounds,
    };
    channel->job = start(channel, NULL, &launch, message->stdin, message->pty);
    if (channel->job == NULL) {
        channel_send_failed(channel->id, FAILED(TOO_MANY), strerror(errno));
        channel_free(channel);
    }
    free(argv);
}

struct job *job_start_kernel(struct kernel *kernel, struct launch *launch) {
    return start(NULL, kernel, launch, false, NULL);
}
