// Move, Remove and MakeDir.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file_worker.h"
#include "resource_limits.h"

enum { MAX_OPEN_DEPTH = 100, NOREPLACE = 1 };

void file_move(const struct work *work, const Atoll__Agent__Move *message) {
    char from[MAX_PATH + 1], to[MAX_PATH + 1];
    struct stat stat;
    work_path(work, message->from, from);
    work_path(work, message->to, to);
    if (lstat(from, &stat) != 0) work_fail_errno(work, from);
    if (message->overwrite) {
        if (rename(from, to) != 0) work_fail_errno(work, to);
        work_ok(work);
    }
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NOREPLACE) == 0) work_ok(work);
    if (errno != ENOSYS && errno != EINVAL) work_fail_errno(work, to);
    // Without the atomic form, a look beforehand is the best there is.
    if (lstat(to, &stat) == 0) work_fail(work, FAILED(ALREADY_EXISTS), "%s exists", to);
    if (rename(from, to) != 0) work_fail_errno(work, to);
    work_ok(work);
}

// Empties the directory fd, which is closed. Trees deeper than the descriptors allow are cut: what lies below is moved up into root.
static bool empty(int fd, int root, int depth) {
    static unsigned moved;
    DIR *dir = fdopendir(fd);
    if (dir == NULL) return false;
    bool emptied = true, removed = true;
    int error = 0;
    // Again until a pass removes nothing, because removing while reading may skip names, and because of what was moved up.
    while (removed && emptied) {
        removed = false;
        rewinddir(dir);
        struct dirent *entry;
        while (emptied && (entry = readdir(dir)) != NULL) {
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
            if (unlinkat(fd, entry->d_name, 0) == 0) {
                removed = true;
                continue;
            }
            if (errno == ENOENT) continue;
            int child = errno == EISDIR || errno == EPERM ? openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
            bool gone;
            if (child >= 0 && depth >= MAX_OPEN_DEPTH) {
                char name[40];
                close(child);
                snprintf(name, sizeof name, ".atoll-removed-%u", moved++);
                gone = renameat(fd, entry->d_name, root, name) == 0;
            } else {
                gone = child >= 0 && empty(child, depth == 0 ? fd : root, depth + 1) && unlinkat(fd, entry->d_name, AT_REMOVEDIR) == 0;
            }
            if (!gone) error = errno;
            emptied = gone;
            removed |= gone;
        }
    }
    closedir(dir);
    errno = error;
    return emptied;
}

void file_remove(const struct work *work, const Atoll__Agent__Remove *message) {
    char path[MAX_PATH + 1];
    struct stat stat;
    work_path(work, message->path, path);
    if (strcmp(path, "/") == 0) work_fail(work, FAILED(INVALID), "/ cannot be removed");
    if (lstat(path, &stat) != 0) work_fail_errno(work, path);
    if (!S_ISDIR(stat.st_mode)) {
        if (unlink(path) != 0) work_fail_errno(work, path);
        work_ok(work);
    }
    if (message->recursive) {
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0 || !empty(fd, fd, 0)) work_fail_errno(work, path);
    }
    if (rmdir(path) != 0) work_fail_errno(work, path);
    work_ok(work);
}

bool make_parents(const char *path) {
    char partial[MAX_PATH + 1];
    strcpy(partial, path);
    for (char *slash = strchr(partial + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        struct stat stat;
        if (mkdir(partial, 0755) != 0 && (lstat(partial, &stat) != 0 || errno != EEXIST)) {
            // A read-only or foreign ancestor that exists is no obstacle.
            int error = errno;
            if (access(partial, F_OK) != 0) {
                errno = error;
                return false;
            }
        }
        *slash = '/';
    }
    return true;
}

void file_make_dir(const struct work *work, const Atoll__Agent__MakeDir *message) {
    char path[MAX_PATH + 1];
    mode_t mode = message->mode & 07777;
    work_path(work, message->path, path);
    if (limits_disk_full()) work_fail(work, FAILED(NO_SPACE), "the disk limit is reached");
    if (message->parents && !make_parents(path)) work_fail_errno(work, path);
    if (mkdir(path, 0755) != 0) {
        int error = errno;
        struct stat stat_buffer;
        if (error == EEXIST && message->parents && stat(path, &stat_buffer) == 0 && S_ISDIR(stat_buffer.st_mode)) work_ok(work);
        errno = error;
        work_fail_errno(work, path);
    }
    if (mode != 0 && chmod(path, mode) != 0) work_fail_errno(work, path);
    work_ok(work);
}
