#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "descriptors.h"
#include "file_worker.h"
#include "inflow.h"
#include "log.h"
#include "loop.h"
#include "spare.h"
#include "stream.h"

struct transfer {
    // NULL once the host has had its last answer.
    struct channel *channel;
    pid_t worker;
    struct source answers;
    struct inflow upload;
    bool uploads, reaped, blocked;
    uint8_t buffer[ANSWER_HEADER + ANSWER_MOST];
    size_t length;
    // Shared with the worker.
    struct upload_place *place;
    struct transfer *previous, *next;
};

static struct transfer *transfers;

static void unlink_transfer(struct transfer *transfer) {
    if (transfer->previous != NULL) transfer->previous->next = transfer->next;
    else transfers = transfer->next;
    if (transfer->next != NULL) transfer->next->previous = transfer->previous;
}

static void release_channel(struct transfer *transfer) {
    channel_free(transfer->channel);
    transfer->channel = NULL;
    transfer->upload.channel = NULL;
}

// Ends the transfer once its worker is gone and everything it said has been passed on.
static void finish(struct transfer *transfer) {
    if (!transfer->reaped || transfer->answers.fd >= 0) return;
    if (transfer->channel != NULL) {
        uint32_t id = transfer->channel->id;
        if (transfer->channel->closing) channel_send_closed(id);
        else channel_send_failed(id, FAILED(IO), "the file operation was broken off");
        release_channel(transfer);
    }
    inflow_close(&transfer->upload);
    munmap(transfer->place, sizeof *transfer->place);
    unlink_transfer(transfer);
    free(transfer);
}

// True when the answer at the beginning of the buffer was a whole one and has been passed on.
static bool pass_on(struct transfer *transfer) {
    if (transfer->length < ANSWER_HEADER) return false;
    const uint8_t *at = transfer->buffer;
    size_t size = (size_t) at[1] << 24 | (size_t) at[2] << 16 | (size_t) at[3] << 8 | at[4];
    if (size > ANSWER_MOST) die(EXIT_INTERNAL, "a worker answered with %zu bytes", size);
    if (transfer->length < ANSWER_HEADER + size) return false;
    struct channel *channel = transfer->channel;
    if (channel != NULL && !channel->closing) {
        if (at[0] == ANSWER_METERED && (!stream_has_room() || channel->sent + size > channel->send_limit)) {
            transfer->blocked = true;
            source_disarm(&transfer->answers);
            return false;
        }
        if (at[0] == ANSWER_METERED) channel->sent += size;
        stream_send_raw(at + ANSWER_HEADER, size);
        if (at[0] == ANSWER_LAST) release_channel(transfer);
    }
    transfer->length -= ANSWER_HEADER + size;
    memmove(transfer->buffer, at + ANSWER_HEADER + size, transfer->length);
    return true;
}

static void answers_ready(struct source *source, uint32_t events) {
    (void) events;
    struct transfer *transfer = source->owner;
    ssize_t n = read(source->fd, transfer->buffer + transfer->length, sizeof transfer->buffer - transfer->length);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        source_close(source);
        finish(transfer);
        return;
    }
    transfer->length += (size_t) n;
    while (pass_on(transfer)) {}
}

void files_resume(struct transfer *transfer) {
    if (!transfer->blocked) return;
    transfer->blocked = false;
    while (pass_on(transfer)) {}
    if (!transfer->blocked) source_arm(&transfer->answers);
}

void files_resume_all(void) {
    for (struct transfer *transfer = transfers, *next; transfer != NULL; transfer = next) {
        next = transfer->next;
        files_resume(transfer);
    }
}

static void refuse(struct channel *channel, int reason, const char *message) {
    channel_send_failed(channel->id, reason, message);
    channel_free(channel);
}

// Without a spare one: forks a worker for this operation.
static bool start_worker(const Frame *frame, struct spare_worker *worker) {
    int answers[2], upload[2];
    if (pipe2(answers, O_CLOEXEC) != 0) return false;
    if (pipe2(upload, O_CLOEXEC) != 0) {
        close(answers[0]);
        close(answers[1]);
        return false;
    }
    struct upload_place *place = mmap(NULL, sizeof *place, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) die(EXIT_INTERNAL, "out of memory for an upload");
    pid_t pid = fork();
    if (pid == 0) file_work(frame, frame->channel, place, answers[1], upload[0]);
    close(answers[1]);
    close(upload[0]);
    if (pid < 0) {
        close(answers[0]);
        close(upload[1]);
        munmap(place, sizeof *place);
        return false;
    }
    descriptors_never_block(answers[0]);
    descriptors_never_block(upload[1]);
    *worker = (struct spare_worker){.pid = pid, .request = -1, .answers = answers[0], .upload = upload[1], .place = place};
    return true;
}

void files_open(struct channel *channel, const Frame *frame, size_t frame_length) {
    if (atoll__agent__frame__get_packed_size(frame) != frame_length) {
        refuse(channel, FAILED(INVALID), "a path or name holds a NUL byte");
        return;
    }
    struct spare_worker worker;
    if (!spare_take_worker(frame, &worker) && !start_worker(frame, &worker)) {
        refuse(channel, FAILED(TOO_MANY), "no process for the file operation");
        return;
    }
    struct transfer *transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) die(EXIT_INTERNAL, "out of memory for a transfer");
    transfer->uploads = frame->body_case == BODY(WRITE_FILE);
    transfer->place = worker.place;
    transfer->channel = channel;
    transfer->worker = worker.pid;
    source_init(&transfer->answers, worker.answers, EPOLLIN, answers_ready, transfer);
    source_arm(&transfer->answers);
    inflow_init(&transfer->upload, worker.upload, channel);
    if (!transfer->uploads) inflow_close(&transfer->upload);
    channel->transfer = transfer;
    transfer->next = transfers;
    if (transfers != NULL) transfers->previous = transfer;
    transfers = transfer;
}

static void put_length(uint8_t *at, size_t size) {
    for (int i = 0; i < 4; i++) at[i] = (uint8_t) (size >> (24 - 8 * i));
}

void files_data(struct transfer *transfer, const Atoll__Agent__Data *message) {
    uint8_t header[4];
    put_length(header, message->bytes.len);
    // A piece of no bytes is the sign for the end.
    if (message->bytes.len > 0) inflow_write(&transfer->upload, header, sizeof header, message->bytes.data, message->bytes.len);
}

void files_eof(struct transfer *transfer) {
    static const uint8_t end[4];
    if (!transfer->uploads) return;
    inflow_write(&transfer->upload, end, sizeof end, NULL, 0);
}

void files_close(struct channel *channel) {
    struct transfer *transfer = channel->transfer;
    channel->closing = true;
    // An upload that ends without its sign is taken back by its worker; everything else can just stop.
    if (transfer->uploads) inflow_close(&transfer->upload);
    else if (!transfer->reaped) kill(transfer->worker, SIGKILL);
    transfer->blocked = false;
    while (pass_on(transfer)) {}
    source_arm(&transfer->answers);
    finish(transfer);
}

bool files_reaped(pid_t pid, int status) {
    for (struct transfer *transfer = transfers; transfer != NULL; transfer = transfer->next) {
        if (transfer->worker != pid || transfer->reaped) continue;
        transfer->reaped = true;
        if (status != 0 && transfer->uploads) file_remove_leftover(transfer->place);
        finish(transfer);
        return true;
    }
    return false;
}
