#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel.h"
#include "log.h"
#include "resource_limits.h"
#include "stream.h"

static struct job *jobs;
static unsigned count;

static void reports_ready(struct source *source, uint32_t events);

void job_each(void (*visit)(struct job *job, void *data), void *data) {
    for (struct job *job = jobs, *next; job != NULL; job = next) {
        next = job->next;
        visit(job, data);
    }
}

unsigned job_count(void) {
    return count;
}

struct job *job_of_supervisor(pid_t supervisor) {
    for (struct job *job = jobs; job != NULL; job = job->next) {
        if (job->supervisor == supervisor) return job;
    }
    return NULL;
}

bool job_is_busy(const struct job *job) {
    if (job->kernel == NULL) return true;
    return job->channel != NULL && job->channel->execution != 0;
}

void job_register(struct job *job, pid_t supervisor, int reports, int orders) {
    job->supervisor = supervisor;
    job->orders = orders;
    source_init(&job->reports, reports, EPOLLIN, reports_ready, job);
    source_arm(&job->reports);
    job->next = jobs;
    if (jobs != NULL) jobs->previous = job;
    jobs = job;
    count++;
}

void job_order(struct job *job, enum order_type type, int signal) {
    struct order order = {.type = type, .signal = signal};
    // A supervisor too busy to take thousands of orders is killing already.
    if (job->orders >= 0 && write(job->orders, &order, sizeof order) < 0 && errno != EAGAIN) log_line("order: %s", strerror(errno));
}

void job_kill(struct job *job) {
    if (job->orders < 0) return;
    close(job->orders);
    job->orders = -1;
    limits_expect_relief();
}

void job_detach(struct job *job) {
    job->channel = NULL;
    job->draining = false;
    inflow_close(&job->in);
    for (int i = 0; i < 2; i++) {
        job->out[i].dropping = true;
        job->out[i].blocked = false;
        source_arm(&job->out[i].source);
    }
}

void job_resize(struct job *job, uint32_t rows, uint32_t columns) {
    struct winsize size = {.ws_row = (unsigned short) rows, .ws_col = (unsigned short) columns};
    if (job->terminal && job->out[0].source.fd >= 0) ioctl(job->out[0].source.fd, TIOCSWINSZ, &size);
}

void job_describe_end(const struct job *job, Exit *exit) {
    int status = job->end.value;
    exit->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    exit->signal = WIFSIGNALED(status) ? (uint32_t) WTERMSIG(status) : 0;
    exit->cpu_micros = job->end.cpu_micros;
    exit->max_rss_bytes = job->end.max_rss_bytes;
    exit->wall_micros = job->end.wall_micros;
    exit->reason = job->channel->reason != 0 ? job->channel->reason : job->end.passed;
    if (exit->signal == SIGXFSZ) exit->reason = EXIT_REASON(DISK);
}

static void send_exit(struct job *job) {
    struct channel *channel = job->channel;
    job_describe_end(job, &channel->exit);
    channel->exited = true;
    channel->execution = 0;
    FRAME(frame, channel->id, EXIT, exit, Exit);
    frame_body = channel->exit;
    stream_send(&frame);
    for (int i = 0; i < 2; i++) {
        job->out[i].dropping = true;
        source_arm(&job->out[i].source);
    }
}

static void finish_if_drained(struct job *job) {
    if (!job->draining || !job_drain(job)) return;
    job->draining = false;
    if (job->channel != NULL && !job->channel->closing) send_exit(job);
}

static void ended(struct job *job, const struct report *report) {
    job->ended = true;
    job->end = *report;
    if (job->kernel != NULL) kernel_ended(job->kernel);
    if (job->channel == NULL) return;
    inflow_close(&job->in);
    job->draining = true;
    job_drain_begin(job);
    finish_if_drained(job);
}

static void started(struct job *job, pid_t target) {
    job->started = true;
    job->target = target;
    // Not earlier: Started comes before any output.
    for (int i = 0; i < 2; i++) source_arm(&job->out[i].source);
    if (job->kernel != NULL || job->channel == NULL || job->channel->closing) return;
    FRAME(frame, job->channel->id, STARTED, started, Started);
    frame_body.pid = (uint32_t) target;
    stream_send(&frame);
}

static void failed(struct job *job, const struct report *report) {
    struct channel *channel = job->channel;
    if (job->kernel != NULL) {
        kernel_failed(job->kernel, report->value, report->message);
    } else if (channel != NULL && !channel->closing) {
        channel_send_failed(channel->id, report->value, report->message);
        job_detach(job);
        channel_free(channel);
    }
}

// The supervisor has ended: no process of this job is left.
void job_free(struct job *job) {
    struct channel *channel = job->channel;
    if (job->kernel != NULL) kernel_free(job->kernel);
    if (channel != NULL) {
        if (channel->closing) {
            channel_send_closed(channel->id);
            channel_free(channel);
        } else if (!job->started) {
            channel_send_failed(channel->id, FAILED(IO), "the supervisor ended early");
            channel_free(channel);
        } else {
            // Processes and contexts stay listed after their end.
            channel->job = NULL;
        }
    }
    inflow_close(&job->in);
    for (int i = 0; i < 2; i++) source_close(&job->out[i].source);
    source_close(&job->reports);
    if (job->orders >= 0) close(job->orders);
    if (job->previous != NULL) job->previous->next = job->next;
    else jobs = job->next;
    if (job->next != NULL) job->next->previous = job->previous;
    count--;
    free(job);
}

static void reports_ready(struct source *source, uint32_t events) {
    (void) events;
    struct job *job = source->owner;
    struct report report;
    ssize_t n = read(source->fd, &report, sizeof report);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n == sizeof report) {
        report.message[sizeof report.message - 1] = 0;
        if (report.type == REPORT_STARTED) started(job, report.value);
        else if (report.type == REPORT_FAILED) failed(job, &report);
        else if (report.type == REPORT_EXITED) ended(job, &report);
        else if (report.type == REPORT_CLEARED && job->kernel != NULL) kernel_cleared(job->kernel);
        return;
    }
    if (job->draining) {
        // The end is known but its output still waits for credit; the job is freed once that has gone out.
        source_disarm(source);
        return;
    }
    job_free(job);
}

void job_resume(struct job *job) {
    for (int i = 0; i < 2; i++) {
        if (!job->out[i].blocked) continue;
        job->out[i].blocked = false;
        if (job->out[i].source.fd >= 0) source_arm(&job->out[i].source);
    }
    finish_if_drained(job);
    if (job->kernel != NULL) kernel_advance(job->kernel);
    // Whatever the supervisor said meanwhile, its own end included, is still in the pipe.
    if (!job->draining) source_arm(&job->reports);
}
