// Output of jobs on its way to the host.
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "direct.h"
#include "job.h"
#include "stream.h"

enum {
    PIECE = 32 * 1024,
    // No pipe holds more: once so much has been read since a drain began, everything written before it has been.
    LARGEST_PIPE = 1024 * 1024,
};

static uint8_t piece[PIECE];

static void send_data(struct job *job, int stream, size_t length) {
    struct channel *channel = job->channel;
    FRAME(frame, channel->id, DATA, data, Data);
    frame_body.stream = stream;
    frame_body.offset = channel->offset;
    frame_body.bytes.data = piece;
    frame_body.bytes.len = length;
    frame_body.execution = channel->execution;
    channel_send_metered(channel, &frame);
    channel->offset += length;
}

enum pump job_pump(struct job *job, struct outflow *out) {
    if (out->source.fd < 0) {
        out->drained = true;
        return PUMP_CLOSED;
    }
    uint32_t room = PIECE;
    if (!out->dropping) {
        // A spare kernel has no channel yet: what it prints waits for one.
        room = job->channel == NULL ? 0 : channel_payload_room(job->channel, PIECE);
        if (room == 0) {
            out->blocked = true;
            source_disarm(&out->source);
            return PUMP_BLOCKED;
        }
    }
    ssize_t n = direct_read(out->source.fd, piece, room);
    if (n < 0 && errno == EINTR) return PUMP_MORE;
    if (n < 0 && errno == EAGAIN) {
        out->drained = true;
        return PUMP_EMPTY;
    }
    if (n <= 0) {
        // The end, or EIO: a terminal whose last user is gone.
        if (job->terminal) {
            // Input and output of a terminal are one descriptor, which the input side may still hold.
            inflow_close(&job->in);
        }
        source_close(&out->source);
        out->drained = true;
        return PUMP_CLOSED;
    }
    if (!out->dropping) send_data(job, out->stream, (size_t) n);
    out->drained_bytes += (uint32_t) n;
    if (out->drained_bytes >= LARGEST_PIPE) out->drained = true;
    return PUMP_MORE;
}

void job_drain_begin(struct job *job) {
    for (int i = 0; i < 2; i++) {
        job->out[i].drained = job->out[i].source.fd < 0;
        job->out[i].drained_bytes = 0;
    }
}

bool job_drain(struct job *job) {
    for (int i = 0; i < 2; i++) {
        while (!job->out[i].drained) {
            if (job_pump(job, &job->out[i]) == PUMP_BLOCKED) return false;
        }
    }
    return true;
}
