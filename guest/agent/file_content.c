// ReadFile and WriteFile.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "file_worker.h"
#include "resource_limits.h"

enum { CHECK_EVERY = 1024 * 1024 };

static uint8_t piece[FILE_PIECE];

// Never waits for the other end of a FIFO, and never answers with anything but a regular file.
static int open_regular(const struct work *work, const char *path, int flags, mode_t mode, struct stat *stat) {
    int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (fd < 0 && errno == ENXIO) work_fail(work, FAILED(INVALID), "%s is not a regular file", path);
    if (fd < 0 || fstat(fd, stat) != 0) work_fail_errno(work, path);
    if (S_ISDIR(stat->st_mode)) work_fail(work, FAILED(IS_A_DIRECTORY), "%s is a directory", path);
    if (!S_ISREG(stat->st_mode)) work_fail(work, FAILED(INVALID), "%s is not a regular file", path);
    return fd;
}

void file_read(const struct work *work, const Atoll__Agent__ReadFile *message) {
    char path[MAX_PATH + 1];
    struct stat stat;
    static struct entry_text text;
    work_path(work, message->path, path);
    int fd = open_regular(work, path, O_RDONLY, 0, &stat);
    FRAME(entry, work->channel, ENTRY, entry, Entry);
    entry_fill(&entry_body, &text, path, &stat, "");
    work_answer(work, ANSWER_FREE, &entry);
    uint64_t left = message->length == 0 ? UINT64_MAX : message->length, done = 0;
    if (message->offset > INT64_MAX) work_fail(work, FAILED(INVALID), "offset beyond any file");
    while (left > 0) {
        ssize_t n = pread(fd, piece, left < sizeof piece ? (size_t) left : sizeof piece, (off_t) (message->offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) work_fail_errno(work, path);
        if (n == 0) break;
        FRAME(frame, work->channel, DATA, data, Data);
        frame_body.stream = STREAM(BYTES);
        frame_body.offset = done;
        frame_body.bytes.data = piece;
        frame_body.bytes.len = (size_t) n;
        work_answer(work, ANSWER_METERED, &frame);
        done += (uint64_t) n;
        left -= (uint64_t) n;
    }
    FRAME(frame, work->channel, EOF, eof, Eof);
    frame_body.stream = STREAM(BYTES);
    work_last(work, &frame);
}

static bool read_fully(int fd, void *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        ssize_t n = read(fd, (uint8_t *) bytes + at, length - at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += (size_t) n;
    }
    return true;
}

static bool write_fully(int fd, const uint8_t *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        ssize_t n = write(fd, bytes + at, length - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        at += (size_t) n;
    }
    return true;
}

enum copied { COPIED, COPY_ABANDONED, COPY_FAILED };

// Pieces with their length in front, until one of length 0; the pipe's end before that means that the upload was given up.
static enum copied copy(const struct work *work, int fd, uint64_t *total) {
    uint64_t unchecked = CHECK_EVERY;
    for (;;) {
        uint8_t header[4];
        if (!read_fully(work->upload, header, sizeof header)) return COPY_ABANDONED;
        size_t left = (size_t) header[0] << 24 | (size_t) header[1] << 16 | (size_t) header[2] << 8 | header[3];
        if (left == 0) return COPIED;
        while (left > 0) {
            size_t part = left < sizeof piece ? left : sizeof piece;
            if (!read_fully(work->upload, piece, part)) return COPY_ABANDONED;
            if (unchecked >= CHECK_EVERY) {
                unchecked = 0;
                errno = ENOSPC;
                if (limits_disk_full()) return COPY_FAILED;
            }
            if (!write_fully(fd, piece, part)) return COPY_FAILED;
            left -= part;
            unchecked += part;
            *total += part;
        }
    }
}

static _Noreturn void written(const struct work *work, uint64_t total) {
    FRAME(frame, work->channel, WRITTEN, written, Written);
    frame_body.bytes = total;
    work_last(work, &frame);
}

static _Noreturn void append(const struct work *work, const char *path, mode_t mode) {
    struct stat stat;
    uint64_t total = 0;
    int fd = open_regular(work, path, O_WRONLY | O_APPEND | O_CREAT, mode, &stat);
    enum copied copied = copy(work, fd, &total);
    if (copied == COPY_FAILED) work_fail_errno(work, path);
    if (copied == COPY_ABANDONED) _exit(0);
    written(work, total);
}

// The file to replace: what a symbolic link leads to, with the mode it has. Refuses what the user could not have written to.
static void resolve(const struct work *work, char path[MAX_PATH + 1], mode_t *mode) {
    char real[MAX_PATH + 1];
    struct stat stat;
    if (realpath(path, real) == NULL) {
        if (errno != ENOENT) work_fail_errno(work, path);
        return;
    }
    strcpy(path, real);
    close(open_regular(work, path, O_WRONLY, 0, &stat));
    if (*mode == 0) *mode = stat.st_mode & 07777;
}

static int open_aside(const struct work *work, const char *path) {
    char copy_of_path[MAX_PATH + 1];
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) < 0) work_fail_errno(work, path);
    strcpy(copy_of_path, path);
    int length = snprintf(work->place->path, sizeof work->place->path, "%s/.atoll-%016llx", dirname(copy_of_path), (unsigned long long) number);
    if (length > MAX_PATH) work_fail(work, FAILED(INVALID), "the path is too long");
    int fd = open(work->place->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        work->place->path[0] = 0;
        work_fail_errno(work, path);
    }
    return fd;
}

void file_write(const struct work *work, const Atoll__Agent__WriteFile *message) {
    char path[MAX_PATH + 1];
    mode_t mode = message->mode & 07777;
    uint64_t total = 0;
    work_path(work, message->path, path);
    if (limits_disk_full()) work_fail(work, FAILED(NO_SPACE), "the disk limit is reached");
    if (message->parents && !make_parents(path)) work_fail_errno(work, path);
    if (message->append) append(work, path, mode != 0 ? mode : 0644);
    resolve(work, path, &mode);
    int fd = open_aside(work, path);
    enum copied copied = copy(work, fd, &total);
    bool placed = copied == COPIED && fchmod(fd, mode != 0 ? mode : 0644) == 0 && rename(work->place->path, path) == 0;
    if (placed) written(work, total);
    int error = errno;
    unlink(work->place->path);
    work->place->path[0] = 0;
    if (copied == COPY_ABANDONED) _exit(0);
    errno = error;
    work_fail_errno(work, path);
}
