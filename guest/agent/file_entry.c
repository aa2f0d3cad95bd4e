// Stat and List.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_worker.h"
#include "utf8.h"

enum { MAX_DEPTH = 64, BATCH = 64, BATCH_BYTES = 12 * 1024 };

static const char *owner_name(uid_t uid) {
    // Entries of one listing mostly have one owner.
    static uid_t known = (uid_t) -1;
    static char name[64];
    if (uid == known && name[0] != 0) return name;
    struct passwd *entry = getpwuid(uid);
    if (entry != NULL) snprintf(name, sizeof name, "%s", entry->pw_name);
    else snprintf(name, sizeof name, "%u", (unsigned) uid);
    known = uid;
    return name;
}

void entry_fill(Atoll__Agent__Entry *entry, struct entry_text *text, const char *path, const struct stat *stat, const char *target) {
    atoll__agent__entry__init(entry);
    utf8_clean(path, text->path, sizeof text->path);
    utf8_clean(target, text->target, sizeof text->target);
    utf8_clean(owner_name(stat->st_uid), text->owner, sizeof text->owner);
    entry->path = text->path;
    entry->target = text->target;
    entry->owner = text->owner;
    entry->kind = S_ISREG(stat->st_mode) ? ATOLL__AGENT__ENTRY__KIND__FILE
        : S_ISDIR(stat->st_mode) ? ATOLL__AGENT__ENTRY__KIND__DIRECTORY
        : S_ISLNK(stat->st_mode) ? ATOLL__AGENT__ENTRY__KIND__SYMLINK : ATOLL__AGENT__ENTRY__KIND__OTHER;
    entry->size = (uint64_t) stat->st_size;
    entry->mode = stat->st_mode & 07777;
    entry->modified_nanos = (uint64_t) stat->st_mtim.tv_sec * 1000000000 + (uint64_t) stat->st_mtim.tv_nsec;
}

static void read_target(int directory, const char *name, const struct stat *stat, char target[MAX_PATH + 1]) {
    ssize_t n = S_ISLNK(stat->st_mode) ? readlinkat(directory, name, target, MAX_PATH) : 0;
    target[n > 0 ? n : 0] = 0;
}

void file_stat(const struct work *work, const Atoll__Agent__Stat *message) {
    char path[MAX_PATH + 1], target[MAX_PATH + 1];
    struct stat stat;
    work_path(work, message->path, path);
    if (lstat(path, &stat) != 0) work_fail_errno(work, path);
    read_target(AT_FDCWD, path, &stat, target);
    static struct entry_text text;
    FRAME(frame, work->channel, ENTRY, entry, Entry);
    entry_fill(&frame_body, &text, path, &stat, target);
    work_last(work, &frame);
}

struct listing {
    const struct work *work;
    uint32_t depth;
    uint64_t left;
    bool truncated;
    Atoll__Agent__Entry entries[BATCH];
    Atoll__Agent__Entry *pointers[BATCH];
    size_t count, bytes;
};

static void send_batch(struct listing *listing, bool truncated) {
    FRAME(frame, listing->work->channel, ENTRIES, entries, Entries);
    frame_body.entries = listing->pointers;
    frame_body.n_entries = listing->count;
    frame_body.truncated = truncated;
    work_answer(listing->work, ANSWER_METERED, &frame);
    for (size_t i = 0; i < listing->count; i++) {
        free(listing->entries[i].path);
        free(listing->entries[i].target);
        free(listing->entries[i].owner);
    }
    listing->count = listing->bytes = 0;
}

static void add(struct listing *listing, const char *path, const struct stat *stat, const char *target) {
    static struct entry_text text;
    Atoll__Agent__Entry *entry = &listing->entries[listing->count];
    if (listing->count == BATCH || listing->bytes > BATCH_BYTES) {
        send_batch(listing, false);
        entry = &listing->entries[0];
    }
    entry_fill(entry, &text, path, stat, target);
    listing->pointers[listing->count] = entry;
    entry->path = strdup(text.path);
    entry->target = strdup(text.target);
    entry->owner = strdup(text.owner);
    if (entry->path == NULL || entry->target == NULL || entry->owner == NULL) work_fail(listing->work, FAILED(IO), "out of memory");
    listing->bytes += strlen(entry->path) + strlen(entry->target) + strlen(entry->owner) + FRAME_OVERHEAD;
    listing->count++;
}

// path is extended in place by each name; fd is closed.
static void list(struct listing *listing, int fd, char *path, uint32_t depth) {
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        close(fd);
        return;
    }
    size_t length = strlen(path);
    struct dirent *found;
    while (!listing->truncated && (found = readdir(dir)) != NULL) {
        if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
        struct stat stat;
        char target[MAX_PATH + 1];
        // A name may vanish between being read and being looked at; one too long to be named cannot be asked for either.
        if (length + strlen(found->d_name) + 1 > MAX_PATH || fstatat(fd, found->d_name, &stat, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (listing->left == 0) {
            listing->truncated = true;
            break;
        }
        listing->left--;
        read_target(fd, found->d_name, &stat, target);
        snprintf(path + length, MAX_PATH + 1 - length, "%s%s", length == 1 ? "" : "/", found->d_name);
        add(listing, path, &stat, target);
        if (S_ISDIR(stat.st_mode) && depth < listing->depth) {
            int child = openat(fd, found->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (child >= 0) list(listing, child, path, depth + 1);
        }
        path[length] = 0;
    }
    closedir(dir);
}

void file_list(const struct work *work, const Atoll__Agent__List *message) {
    static struct listing listing;
    char path[MAX_PATH + 1];
    work_path(work, message->path, path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) work_fail_errno(work, path);
    listing.work = work;
    listing.depth = message->depth == 0 ? 1 : message->depth < MAX_DEPTH ? message->depth : MAX_DEPTH;
    listing.left = message->max == 0 ? UINT64_MAX : message->max;
    list(&listing, fd, path, 1);
    if (listing.count > 0 || listing.truncated) send_batch(&listing, listing.truncated);
    FRAME(frame, work->channel, EOF, eof, Eof);
    work_last(work, &frame);
}
