#include "control.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "channel.h"
#include "config.h"
#include "job.h"
#include "kernel.h"
#include "network.h"
#include "resource_limits.h"
#include "procs.h"
#include "stream.h"

void control_hello(void) {
    char *features[MAX_LANGUAGES + 4];
    size_t count = 0;
    for (int i = 0; i < config.language_count; i++) {
        // The program may be found on PATH; only an absolute one can be checked here.
        const char *program = config.languages[i].argv[0];
        if (program[0] != '/' || access(program, X_OK) == 0) features[count++] = config.languages[i].name;
    }
    features[count++] = "pty";
    features[count++] = "watch";
    features[count++] = "dial";
    if (network_has_proxy()) features[count++] = "egress";
    FRAME(frame, 0, HELLO, hello, Hello);
    frame_body.generation = PROTOCOL_GENERATION;
    frame_body.version = AGENT_VERSION;
    frame_body.n_features = count;
    frame_body.features = features;
    stream_send(&frame);
}

void control_ping(const Atoll__Agent__Ping *message) {
    FRAME(frame, 0, PONG, pong, Pong);
    frame_body.nonce = message->nonce;
    stream_send(&frame);
}

static uint64_t micros(const struct rusage *usage) {
    return (uint64_t) (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000
        + (uint64_t) (usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

// Time of the living from /proc, of the reaped from rusage: gVisor's /proc/stat says nothing.
void control_stats(void) {
    FRAME(frame, 0, STATS, stats, Stats);
    // What cannot be read is shown as all that there may be: nobody is to take it for room.
    if (!limits_memory_used(&frame_body.memory_bytes)) frame_body.memory_bytes = limits.memory_bytes;
    if (!limits_disk_used(&frame_body.disk_bytes)) frame_body.disk_bytes = limits.disk_bytes;
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    frame_body.cpu_micros = micros(&children);
    uint64_t tick = 1000000 / (uint64_t) sysconf(_SC_CLK_TCK);
    struct procs procs;
    if (procs_scan(&procs, 250)) {
        for (int i = 0; i < procs.count; i++) {
            const struct proc *proc = &procs.list[i];
            frame_body.cpu_micros += proc->cpu_ticks * tick;
            if (proc->pid != getpid() && job_of_supervisor(proc->pid) == NULL && proc->state != 'Z') frame_body.processes++;
        }
        procs_free(&procs);
    }
    stream_send(&frame);
}

enum { PER_FRAME = 64 };

struct listing {
    Atoll__Agent__ChannelInfo infos[PER_FRAME];
    Atoll__Agent__ChannelInfo *pointers[PER_FRAME];
    size_t count;
};

static void send_listing(struct listing *listing, bool last) {
    FRAME(frame, 0, CHANNELS, channels, Channels);
    frame_body.channels = listing->pointers;
    frame_body.n_channels = listing->count;
    frame_body.last = last;
    stream_send(&frame);
    listing->count = 0;
}

static void list(struct channel *channel, void *data) {
    struct listing *listing = data;
    // 64 infos with tags of 256 bytes stay far below one frame.
    if (listing->count == PER_FRAME) send_listing(listing, false);
    Atoll__Agent__ChannelInfo *info = &listing->infos[listing->count];
    listing->pointers[listing->count++] = info;
    atoll__agent__channel_info__init(info);
    info->channel = channel->id;
    info->kind = channel->kind == CHANNEL_PROCESS ? ATOLL__AGENT__CHANNEL_INFO__KIND__PROCESS
        : channel->kind == CHANNEL_CONTEXT ? ATOLL__AGENT__CHANNEL_INFO__KIND__CONTEXT : ATOLL__AGENT__CHANNEL_INFO__KIND__OTHER;
    info->tag = channel->tag;
    info->pid = channel->job != NULL ? (uint32_t) channel->job->target : 0;
    info->sent = channel->sent;
    info->received = channel->received;
    info->send_limit = channel->send_limit;
    info->receive_limit = channel->receive_limit;
    info->offset = channel->offset;
    info->execution = channel->execution;
    info->asks = channel->job != NULL && channel->job->kernel != NULL && channel->job->kernel->asks;
    info->exit = channel->exited ? &channel->exit : NULL;
}

void control_channels(void) {
    static struct listing listing;
    listing.count = 0;
    channel_each(list, &listing);
    send_listing(&listing, true);
    channel_count_from_open();
}
