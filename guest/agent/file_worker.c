#define _GNU_SOURCE
#include "file_worker.h"

#include <errno.h>
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config.h"
#include "descriptors.h"
#include "failure.h"
#include "log.h"
#include "resource_limits.h"
#include "utf8.h"

void work_answer(const struct work *work, int kind, const Frame *frame) {
    static uint8_t buffer[ANSWER_HEADER + MAX_FRAME];
    size_t size = atoll__agent__frame__get_packed_size(frame);
    if (size > ANSWER_MOST) _exit(EXIT_INTERNAL);
    buffer[0] = (uint8_t) kind;
    for (int i = 0; i < 4; i++) buffer[1 + i] = (uint8_t) (size >> (24 - 8 * i));
    atoll__agent__frame__pack(frame, buffer + ANSWER_HEADER);
    for (size_t at = 0; at < ANSWER_HEADER + size;) {
        ssize_t n = write(work->answers, buffer + at, ANSWER_HEADER + size - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) _exit(EXIT_INTERNAL);
        at += (size_t) n;
    }
}

void work_last(const struct work *work, const Frame *frame) {
    work_answer(work, ANSWER_LAST, frame);
    _exit(0);
}

void work_ok(const struct work *work) {
    FRAME(frame, work->channel, OK, ok, Ok);
    work_last(work, &frame);
}

void work_fail(const struct work *work, int reason, const char *format, ...) {
    char text[512], clean[UTF8_GROWTH * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    utf8_clean(text, clean, sizeof clean);
    FRAME(frame, work->channel, FAILED, failed, Failed);
    frame_body.reason = reason;
    frame_body.message = clean;
    work_last(work, &frame);
}

void work_fail_errno(const struct work *work, const char *path) {
    work_fail(work, failure_reason(errno), "%s: %s", path, strerror(errno));
}

// Takes "//", "/./" and a slash at the end out, so that entries and events have one form. ".." stays: with links, only the kernel knows where it leads.
static void tidy(char *path) {
    char *out = path;
    for (const char *at = path; *at != 0;) {
        if (at[0] == '/' && (at[1] == '/' || at[1] == 0)) at += 1;
        else if (at[0] == '/' && at[1] == '.' && (at[2] == '/' || at[2] == 0)) at += 2;
        else *out++ = *at++;
    }
    if (out == path) *out++ = '/';
    *out = 0;
}

const char *work_path(const struct work *work, const char *path, char absolute[MAX_PATH + 1]) {
    int length = path[0] == '/' ? snprintf(absolute, MAX_PATH + 1, "%s", path) : snprintf(absolute, MAX_PATH + 1, "%s/%s", work->user.home, path);
    if (path[0] == 0) work_fail(work, FAILED(INVALID), "the path is empty");
    if (length > MAX_PATH) work_fail(work, FAILED(INVALID), "the path has %d bytes, at most %d", length, MAX_PATH);
    tidy(absolute);
    return absolute;
}

static const char *user_of(const Frame *frame) {
    switch (frame->body_case) {
        case BODY(READ_FILE): return frame->read_file->user;
        case BODY(WRITE_FILE): return frame->write_file->user;
        case BODY(STAT): return frame->stat->user;
        case BODY(LIST): return frame->list->user;
        case BODY(MOVE): return frame->move->user;
        case BODY(REMOVE): return frame->remove->user;
        case BODY(MAKE_DIR): return frame->make_dir->user;
        default: return frame->watch->user;
    }
}

static void take_rights(struct work *work, const char *name) {
    if (!user_find(name, &work->user)) work_fail(work, FAILED(NO_SUCH_USER), "no user \"%s\"", name);
    if (work->user.uid == 0 && getuid() == 0 && !config.allow_root && default_uid != 0) {
        work_fail(work, FAILED(PERMISSION_DENIED), "this template does not allow root");
    }
    const char *unset = limits_apply_to_self();
    if (unset != NULL) work_fail(work, FAILED(IO), "the limit of %s cannot be set: %s", unset, strerror(errno));
    if (!user_act_as(&work->user)) work_fail(work, FAILED(PERMISSION_DENIED), "becoming %s: %s", work->user.name, strerror(errno));
}

void file_work(const Frame *frame, uint32_t channel, struct upload_place *place, int answers, int upload) {
    struct work work = {.channel = channel, .answers = answers, .upload = upload, .place = place};
    // A long-lived worker must not hold other channels' pipes open, nor the stream to the host.
    int keep[] = {answers, upload, log_fd, 0, 1, 2};
    descriptors_close_all_but(keep, 6);
    // Only a name: nothing depends on it.
    prctl(PR_SET_NAME, "atoll-files");
    take_rights(&work, user_of(frame));
    memcpy(place->user, work.user.name, sizeof place->user);
    switch (frame->body_case) {
        case BODY(READ_FILE): file_read(&work, frame->read_file);
        case BODY(WRITE_FILE): file_write(&work, frame->write_file);
        case BODY(STAT): file_stat(&work, frame->stat);
        case BODY(LIST): file_list(&work, frame->list);
        case BODY(MOVE): file_move(&work, frame->move);
        case BODY(REMOVE): file_remove(&work, frame->remove);
        case BODY(MAKE_DIR): file_make_dir(&work, frame->make_dir);
        default: file_watch(&work, frame->watch);
    }
}

void file_remove_leftover(const struct upload_place *place) {
    if (place->path[0] == 0) return;
    if (fork() != 0) return;
    // Never as root: the path leads through directories that the user can change.
    struct user user;
    if (user_find(place->user, &user) && user_act_as(&user)) unlink(place->path);
    _exit(0);
}
