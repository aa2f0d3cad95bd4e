// Watch: inotify, made recursive.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "file_worker.h"
#include "utf8.h"

enum {
    MAX_WATCHES = 8192,
    MAX_DEPTH = 64,
    // How long the first half of a move waits for the second.
    PAIR_MILLIS = 20,
    INTEREST = IN_CREATE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK,
};

#define KIND(name) ATOLL__AGENT__EVENT__KIND__##name

struct watch {
    int descriptor;
    char *path;
};

static const struct work *work;
static int inotify;
static bool recursive;
// Allocated by the worker that watches: the agent and all others have no use for the room.
static struct watch *watches;
static int watch_count;
// The first half of a move that waits for its other half.
static char moved_from[MAX_PATH + 1];
static uint32_t moved_cookie;
static bool moved_directory;

static void send_event(int kind, const char *path, const char *from) {
    static char clean_path[UTF8_GROWTH * MAX_PATH + 1], clean_from[UTF8_GROWTH * MAX_PATH + 1];
    utf8_clean(path, clean_path, sizeof clean_path);
    utf8_clean(from, clean_from, sizeof clean_from);
    FRAME(frame, work->channel, EVENT, event, Event);
    frame_body.kind = kind;
    frame_body.path = clean_path;
    frame_body.from = clean_from;
    work_answer(work, ANSWER_METERED, &frame);
}

static struct watch *find(int descriptor) {
    for (int i = 0; i < watch_count; i++) {
        if (watches[i].descriptor == descriptor) return &watches[i];
    }
    return NULL;
}

static void forget(struct watch *watch) {
    free(watch->path);
    *watch = watches[--watch_count];
}

static bool add(const char *path) {
    int descriptor = inotify_add_watch(inotify, path, INTEREST);
    if (descriptor < 0) return false;
    struct watch *known = find(descriptor);
    if (known == NULL && watch_count == MAX_WATCHES) {
        inotify_rm_watch(inotify, descriptor);
        errno = ENOSPC;
        return false;
    }
    char *copy = strdup(path);
    if (copy == NULL) return false;
    if (known != NULL) {
        free(known->path);
        known->path = copy;
    } else {
        watches[watch_count++] = (struct watch){.descriptor = descriptor, .path = copy};
    }
    return true;
}

// Watches what lies below path. When announce is set the tree has just appeared, and what is already in it may have been missed.
static void add_below(const char *path, bool announce, int depth) {
    DIR *dir = depth < MAX_DEPTH ? opendir(path) : NULL;
    if (dir == NULL) return;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        char child[MAX_PATH + 1];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (snprintf(child, sizeof child, "%s/%s", strcmp(path, "/") == 0 ? "" : path, entry->d_name) > MAX_PATH) continue;
        struct stat stat;
        if (lstat(child, &stat) != 0) continue;
        if (announce) send_event(KIND(CREATED), child, "");
        if (!S_ISDIR(stat.st_mode)) continue;
        if (!add(child) && errno == ENOSPC) {
            // What is not watched is lost: the host must know.
            send_event(KIND(OVERFLOW), path, "");
            break;
        }
        add_below(child, announce, depth + 1);
    }
    closedir(dir);
}

// A watched directory has been moved: the paths below it have changed.
static void rename_watches(const char *from, const char *to) {
    size_t length = strlen(from);
    for (int i = 0; i < watch_count; i++) {
        char path[MAX_PATH + 1];
        const char *old = watches[i].path;
        if (strncmp(old, from, length) != 0 || (old[length] != '/' && old[length] != 0)) continue;
        if (snprintf(path, sizeof path, "%s%s", to, old + length) > MAX_PATH) continue;
        char *copy = strdup(path);
        if (copy == NULL) continue;
        free(watches[i].path);
        watches[i].path = copy;
    }
}

static void drop_watches(const char *path) {
    size_t length = strlen(path);
    for (int i = watch_count - 1; i >= 0; i--) {
        const char *old = watches[i].path;
        if (strncmp(old, path, length) != 0 || (old[length] != '/' && old[length] != 0)) continue;
        inotify_rm_watch(inotify, watches[i].descriptor);
        forget(&watches[i]);
    }
}

// The other half never came: it went out of what is watched.
static void settle_move(void) {
    if (moved_cookie == 0) return;
    moved_cookie = 0;
    if (moved_directory) drop_watches(moved_from);
    send_event(KIND(REMOVED), moved_from, "");
}

static void appeared(const char *path, bool directory, int kind, const char *from) {
    send_event(kind, path, from);
    if (!directory || !recursive) return;
    if (!add(path) && errno == ENOSPC) send_event(KIND(OVERFLOW), path, "");
    add_below(path, kind == KIND(CREATED), 0);
}

static void handle(const struct inotify_event *event) {
    if (event->mask & IN_Q_OVERFLOW) {
        send_event(KIND(OVERFLOW), "", "");
        return;
    }
    struct watch *watch = find(event->wd);
    if (watch == NULL) return;
    char path[MAX_PATH + 1];
    bool directory = (event->mask & IN_ISDIR) != 0;
    int length = event->len > 0 ? snprintf(path, sizeof path, "%s/%s", strcmp(watch->path, "/") == 0 ? "" : watch->path, event->name)
        : snprintf(path, sizeof path, "%s", watch->path);
    if (length > MAX_PATH) return;
    if (!(event->mask & IN_MOVED_TO && event->cookie == moved_cookie)) settle_move();
    if (event->mask & IN_IGNORED) {
        watch = find(event->wd);
        if (watch != NULL) forget(watch);
    } else if (event->mask & IN_DELETE_SELF) {
        // The parent, where it is watched, tells this too; only the top has none.
        if (watch_count > 0 && watch == &watches[0]) send_event(KIND(REMOVED), path, "");
    } else if (event->mask & IN_CREATE) {
        appeared(path, directory, KIND(CREATED), "");
    } else if (event->mask & IN_DELETE) {
        send_event(KIND(REMOVED), path, "");
    } else if (event->mask & IN_MOVED_FROM) {
        strcpy(moved_from, path);
        moved_cookie = event->cookie;
        moved_directory = directory;
    } else if (event->mask & IN_MOVED_TO) {
        bool paired = moved_cookie != 0 && moved_cookie == event->cookie;
        moved_cookie = 0;
        if (paired && directory) rename_watches(moved_from, path);
        appeared(path, directory, KIND(MOVED), paired ? moved_from : "");
    } else if (event->len > 0 || (event->mask & IN_MODIFY)) {
        send_event(KIND(MODIFIED), path, "");
    }
}

// inotify watches directories here; a single file is watched through its directory would report its neighbours, so it gets a watch of its own.
static void watch_top(const char *path) {
    struct stat buffer;
    if (stat(path, &buffer) != 0) work_fail_errno(work, path);
    if (S_ISDIR(buffer.st_mode)) {
        if (!add(path)) work_fail_errno(work, path);
        if (recursive) add_below(path, false, 0);
        return;
    }
    int descriptor = inotify_add_watch(inotify, path, IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF);
    if (descriptor < 0) work_fail_errno(work, path);
    watches[watch_count++] = (struct watch){.descriptor = descriptor, .path = strdup(path)};
}

void file_watch(const struct work *the_work, const Atoll__Agent__Watch *message) {
    static char buffer[64 * 1024] __attribute__((aligned(__alignof__(struct inotify_event))));
    char path[MAX_PATH + 1];
    work = the_work;
    recursive = message->recursive;
    work_path(work, message->path, path);
    watches = calloc(MAX_WATCHES, sizeof *watches);
    inotify = watches == NULL ? -1 : inotify_init1(IN_CLOEXEC);
    if (inotify < 0) work_fail_errno(work, path);
    watch_top(path);
    FRAME(frame, work->channel, OK, ok, Ok);
    work_answer(work, ANSWER_FREE, &frame);
    for (;;) {
        struct pollfd fd = {.fd = inotify, .events = POLLIN};
        int ready = poll(&fd, 1, moved_cookie != 0 ? PAIR_MILLIS : -1);
        if (ready == 0) settle_move();
        if (ready <= 0) continue;
        ssize_t n = read(inotify, buffer, sizeof buffer);
        if (n <= 0 && errno != EINTR) work_fail_errno(work, path);
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *event = (const struct inotify_event *) (buffer + at);
            at += (ssize_t) (sizeof *event + event->len);
            handle(event);
        }
    }
}
