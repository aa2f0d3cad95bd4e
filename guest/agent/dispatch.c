#include "dispatch.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "channel.h"
#include "connection.h"
#include "control.h"
#include "dial.h"
#include "dns.h"
#include "files.h"
#include "job.h"
#include "kernel.h"
#include "log.h"
#include "ports.h"
#include "proxy.h"
#include "resource_limits.h"
#include "stream.h"
#include "thaw.h"

static void require_control(const Frame *frame) {
    if (frame->channel != 0) die(EXIT_PROTOCOL, "control message %d on channel %u", (int) frame->body_case, frame->channel);
}

static void open_channel(const Frame *frame, size_t length) {
    const char *tag = "";
    enum channel_kind kind = CHANNEL_FILE;
    if (frame->body_case == BODY(START)) {
        tag = frame->start->tag;
        kind = CHANNEL_PROCESS;
    } else if (frame->body_case == BODY(OPEN_CONTEXT)) {
        tag = frame->open_context->tag;
        kind = CHANNEL_CONTEXT;
    } else if (frame->body_case == BODY(DIAL)) {
        kind = CHANNEL_NETWORK;
    }
    if (strlen(tag) > MAX_TAG) die(EXIT_PROTOCOL, "tag of %zu bytes, at most %d", strlen(tag), MAX_TAG);
    struct channel *channel = channel_open(frame->channel, kind, tag);
    if (channel == NULL) return;
    if (kind == CHANNEL_PROCESS) job_start_process(channel, frame->start);
    else if (kind == CHANNEL_CONTEXT) kernel_open(channel, frame->open_context);
    else if (kind == CHANNEL_NETWORK) dial_open(channel, frame->dial->port);
    else files_open(channel, frame, length);
}

static void credit(struct channel *channel, uint64_t limit) {
    if (limit <= channel->send_limit) return;
    channel->send_limit = limit;
    if (channel->job != NULL) job_resume(channel->job);
    if (channel->transfer != NULL) files_resume(channel->transfer);
    if (channel->connection != NULL) connection_resume(channel->connection);
}

static void close_channel(struct channel *channel) {
    if (channel->closing) return;
    if (channel->kind == CHANNEL_NETWORK) {
        if (channel->connection != NULL) connection_close(channel->connection);
        else dns_closed(channel->question);
        return;
    }
    if (channel->transfer != NULL) {
        files_close(channel);
        return;
    }
    struct job *job = channel->job;
    if (job != NULL && !channel->exited) {
        channel->closing = true;
        for (int i = 0; i < 2; i++) job->out[i].dropping = true;
        job->draining = false;
        inflow_close(&job->in);
        job_kill(job);
        job_resume(job);
        return;
    }
    // After Exit, what the process left running is not the channel's business any more.
    if (job != NULL) job_detach(job);
    if (job != NULL && job->kernel != NULL) job_kill(job);
    channel_send_closed(channel->id);
    channel_free(channel);
}

static void data(struct channel *channel, const Atoll__Agent__Data *message, size_t length) {
    channel_received(channel, length);
    if (channel->transfer != NULL) {
        files_data(channel->transfer, message);
    } else if (channel->connection != NULL) {
        connection_data(channel->connection, message->bytes.data, message->bytes.len);
    } else if (channel->job != NULL && channel->kind == CHANNEL_PROCESS && !channel->exited && !channel->closing) {
        inflow_write(&channel->job->in, NULL, 0, message->bytes.data, message->bytes.len);
    } else {
        channel_grant(channel, 0);
    }
}

static void eof(struct channel *channel) {
    if (channel->transfer != NULL) {
        files_eof(channel->transfer);
        return;
    }
    if (channel->connection != NULL) {
        connection_eof(channel->connection);
        return;
    }
    struct job *job = channel->job;
    if (job == NULL || channel->kind != CHANNEL_PROCESS) return;
    // A terminal has no end of input but the character for it.
    if (job->terminal) inflow_write(&job->in, NULL, 0, "\004", 1);
    else inflow_end(&job->in);
}

static void signal_job(struct channel *channel, const Atoll__Agent__Signal *message) {
    if (channel->job == NULL || channel->closing) return;
    if (message->number == 0 || message->number > 64) die(EXIT_PROTOCOL, "signal %u", message->number);
    enum order_type tree = channel->job->kernel == NULL ? ORDER_SIGNAL_TREE : ORDER_SIGNAL_LEFTOVERS;
    job_order(channel->job, message->tree ? tree : ORDER_SIGNAL, (int) message->number);
    if (message->tree && message->number == SIGKILL) limits_expect_relief();
}

// The answer to something that the guest has asked.
static void answer(const Frame *frame) {
    if (frame->channel < FIRST_OWN_CHANNEL) die(EXIT_PROTOCOL, "answer %d on channel %u, which is the host's own", (int) frame->body_case, frame->channel);
    struct channel *channel = channel_find(frame->channel);
    // Not an error: the program may have gone meanwhile.
    if (channel == NULL) return;
    struct connection *connection = channel->connection;
    bool expected = frame->body_case == BODY(RESOLVED) ? channel->question != NULL : connection != NULL && connection->state == CONNECTION_ASKED;
    // There is nothing that a datagram could be connected to.
    if (frame->body_case == BODY(CONNECTED) && expected) expected = connection->way != WAY(UDP);
    if (!expected) die(EXIT_PROTOCOL, "answer %d on channel %u, which was not asked for", (int) frame->body_case, frame->channel);
    if (frame->body_case == BODY(CONNECTED)) proxy_connected(connection);
    else if (frame->body_case == BODY(REFUSED)) proxy_refused(connection, frame->refused);
    else dns_resolved(channel->question, frame->resolved->verdict);
}

static void use_channel(const Frame *frame, size_t length) {
    struct channel *channel = channel_find(frame->channel);
    // Not an error: the host may speak to a channel whose end is still on its way to it.
    if (channel == NULL) return;
    switch (frame->body_case) {
        case BODY(CREDIT): credit(channel, frame->credit->limit); break;
        case BODY(CLOSE): close_channel(channel); break;
        case BODY(DATA): data(channel, frame->data, length); break;
        case BODY(EOF): eof(channel); break;
        case BODY(SIGNAL): signal_job(channel, frame->signal); break;
        case BODY(RESIZE):
            if (channel->job != NULL) job_resize(channel->job, frame->resize->rows, frame->resize->columns);
            break;
        case BODY(EXECUTE):
            channel_received(channel, length);
            if (channel->kind != CHANNEL_CONTEXT) die(EXIT_PROTOCOL, "Execute on channel %u, which is no context", frame->channel);
            kernel_execute(channel, frame->execute);
            break;
        case BODY(ANSWER):
            channel_received(channel, length);
            if (channel->kind != CHANNEL_CONTEXT) die(EXIT_PROTOCOL, "Answer on channel %u, which is no context", frame->channel);
            kernel_answer(channel, frame->answer);
            break;
        default: kernel_interrupt(channel);
    }
}

void dispatch_frame(const Frame *frame, size_t length) {
    if (thaw_is_quiesced() && frame->body_case != BODY(THAW)) die(EXIT_PROTOCOL, "frame %d while quiesced", (int) frame->body_case);
    switch (frame->body_case) {
        case BODY(PING): require_control(frame); control_ping(frame->ping); break;
        case BODY(QUIESCE): require_control(frame); thaw_quiesce(); break;
        case BODY(THAW): require_control(frame); thaw_wake(frame->thaw); break;
        case BODY(GET_STATS): require_control(frame); control_stats(); break;
        case BODY(GET_CHANNELS): require_control(frame); control_channels(); break;
        case BODY(GET_PORTS): require_control(frame); ports_send(); break;
        case BODY(CONNECTED):
        case BODY(REFUSED):
        case BODY(RESOLVED): answer(frame); break;
        case BODY(DIAL):
        case BODY(START):
        case BODY(OPEN_CONTEXT):
        case BODY(READ_FILE):
        case BODY(WRITE_FILE):
        case BODY(STAT):
        case BODY(LIST):
        case BODY(MOVE):
        case BODY(REMOVE):
        case BODY(MAKE_DIR):
        case BODY(WATCH): open_channel(frame, length); break;
        case BODY(CREDIT):
        case BODY(CLOSE):
        case BODY(DATA):
        case BODY(EOF):
        case BODY(SIGNAL):
        case BODY(RESIZE):
        case BODY(EXECUTE):
        case BODY(ANSWER):
        case BODY(INTERRUPT): use_channel(frame, length); break;
        default: die(EXIT_PROTOCOL, "unexpected frame %d on channel %u", (int) frame->body_case, frame->channel);
    }
}
