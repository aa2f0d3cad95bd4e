#define _GNU_SOURCE
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failure.h"
#include "kernel.h"

// Any directory that each host has: the root is put together on top of it, seen by this process's mount namespace alone.
#define PLACE "/tmp"

void root_open_sources(struct world *world) {
    for (int i = 0; i < world->mount_count; i++) {
        struct mounting *mounting = &world->mounts[i];
        struct stat about;
        if (mounting->kind != MOUNT_BIND) continue;
        // Not recursive: what is mounted below a source stays outside.
        mounting->tree = open_tree(AT_FDCWD, mounting->source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
        if (mounting->tree < 0 || fstat(mounting->tree, &about) != 0) fail("%s", mounting->source);
        errno = 0;
        if (!S_ISDIR(about.st_mode) && !S_ISREG(about.st_mode)) fail("%s: neither a directory nor a regular file", mounting->source);
        mounting->is_directory = S_ISDIR(about.st_mode);
    }
}

// One component below `parent`, which is closed. Only the world's own root is written to: a directory in a tree that somebody else wrote must be there already.
static int step(int parent, const char *name, bool directory, dev_t own, const char *whole) {
    struct stat about;
    struct open_how_to how = {.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW | (directory ? O_DIRECTORY : 0), .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    if (fstat(parent, &about) != 0) fail("%s", whole);
    if (about.st_dev == own) {
        int made = directory ? mkdirat(parent, name, 0755) : mknodat(parent, name, S_IFREG | 0644, 0);
        if (made != 0 && errno != EEXIST) fail("making %s", whole);
    }
    int fd = openat2(parent, name, &how);
    if (fd < 0) fail("%s in the new root", whole);
    close(parent);
    return fd;
}

static const char *last(const char *path) {
    return strrchr(path, '/') + 1;
}

// What is mounted on; for a link the directory that it is to be in.
static int open_target(int root, const struct mounting *mounting, dev_t own) {
    char path[4096];
    size_t length = strlen(mounting->target) - 1;
    if (mounting->kind == MOUNT_LINK) length = last(mounting->target) == mounting->target + 1 ? 0 : length - strlen(last(mounting->target)) - 1;
    if (snprintf(path, sizeof path, "%.*s", (int) length, mounting->target + 1) >= (int) sizeof path) {
        errno = ENAMETOOLONG;
        fail("%s", mounting->target);
    }
    int at = fcntl(root, F_DUPFD_CLOEXEC, 3);
    if (at < 0) fail("%s", mounting->target);
    for (char *name = length == 0 ? NULL : path, *next; name != NULL; name = next) {
        next = strchr(name, '/');
        if (next != NULL) *next++ = 0;
        at = step(at, name, next != NULL || mounting->kind != MOUNT_BIND || mounting->is_directory, own, mounting->target);
    }
    return at;
}

// Only in the world's own root.
static void make_link(int directory, const struct mounting *mounting, dev_t own) {
    struct stat about;
    if (fstat(directory, &about) != 0) fail("%s", mounting->target);
    errno = 0;
    if (about.st_dev != own) fail("%s: not in the new root itself", mounting->target);
    if (symlinkat(mounting->source, directory, last(mounting->target)) != 0) fail("%s", mounting->target);
    close(directory);
}

static void attach(int tree, int target, const char *name) {
    if (move_mount(tree, target) != 0) fail("mounting on %s", name);
    close(tree);
    close(target);
}

static void attach_bind(struct mounting *mounting, int target, int user_namespace) {
    struct mount_attributes attributes = {.set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, .propagation = MS_PRIVATE};
    if (mounting->read_only) attributes.set |= MOUNT_ATTR_RDONLY;
    if (mount_setattr(mounting->tree, AT_EMPTY_PATH, &attributes) != 0) fail("setting the attributes of %s", mounting->source);
    if (mounting->mapped) {
        struct mount_attributes map = {.set = MOUNT_ATTR_IDMAP, .user_namespace = (uint64_t) user_namespace};
        if (mount_setattr(mounting->tree, AT_EMPTY_PATH, &map) != 0) fail("%s: its file system cannot be mounted with other user ids (idmapped mounts) by this kernel", mounting->source);
    }
    attach(mounting->tree, target, mounting->target);
    mounting->tree = -1;
}

static int memory(unsigned long long bytes, const char *mode, uid_t owner, unsigned attributes) {
    char size[32], id[16];
    snprintf(size, sizeof size, "%llu", bytes);
    snprintf(id, sizeof id, "%u", owner);
    int context = fsopen("tmpfs");
    if (context < 0 || fsconfig(context, FSCONFIG_SET_STRING, "size", size) != 0 || fsconfig(context, FSCONFIG_SET_STRING, "mode", mode) != 0
        || fsconfig(context, FSCONFIG_SET_STRING, "uid", id) != 0 || fsconfig(context, FSCONFIG_SET_STRING, "gid", id) != 0
        || fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL) != 0) {
        fail("making a file system in memory");
    }
    int tree = fsmount(context, attributes);
    if (tree < 0) fail("making a mount in memory");
    close(context);
    return tree;
}

// Nodes that everybody may have, made here: the host's own may be others' to write to.
static void attach_devices(int target, const char *name) {
    static const struct { const char *name; unsigned minor; } nodes[] = {{"null", 3}, {"zero", 5}, {"full", 7}, {"random", 8}, {"urandom", 9}};
    static const struct { const char *name, *target; } links[] = {{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}};
    int tree = memory(65536, "0755", 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        if (mknodat(tree, nodes[i].name, S_IFCHR | 0666, makedev(1, nodes[i].minor)) != 0 || fchmodat(tree, nodes[i].name, 0666, 0) != 0) fail("making the device %s", nodes[i].name);
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        if (symlinkat(links[i].target, tree, links[i].name) != 0) fail("making the link %s", links[i].name);
    }
    if (mkdirat(tree, "shm", 0755) != 0) fail("making %s/shm", name);
    struct mount_attributes attributes = {.set = MOUNT_ATTR_RDONLY};
    if (mount_setattr(tree, AT_EMPTY_PATH, &attributes) != 0) fail("closing %s", name);
    attach(tree, target, name);
}

// Shows the world's own processes. It takes a process of that PID namespace to make such a mount, and one of the host's user namespace, so that no mount of the host's processes has to be in sight.
static void attach_processes(int target, const char *name, int pid_namespace) {
    if (setns(pid_namespace, CLONE_NEWPID) != 0) fail("entering the PID namespace");
    pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid == 0) {
        int context = fsopen("proc");
        if (context < 0 || fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL) != 0) fail("making a file system of processes");
        int tree = fsmount(context, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
        if (tree < 0) fail("making a mount of processes");
        attach(tree, target, name);
        _exit(0);
    }
    int status;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) fail("waiting for %s", name);
    }
    errno = 0;
    if (status != 0) fail("%s could not be mounted", name);
    close(target);
}

void root_make(struct world *world, int user_namespace, int pid_namespace) {
    struct stat about;
    int place = open(PLACE, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (place < 0) fail(PLACE);
    attach(memory(1 << 20, "0755", 0, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV), place, PLACE);
    int root = open(PLACE, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0 || fstat(root, &about) != 0) fail("the new root");
    for (int i = 0; i < world->mount_count; i++) {
        struct mounting *mounting = &world->mounts[i];
        int target = open_target(root, mounting, about.st_dev);
        switch (mounting->kind) {
            case MOUNT_BIND: attach_bind(mounting, target, user_namespace); break;
            case MOUNT_TMPFS: attach(memory(mounting->bytes, "01777", world->base, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV), target, mounting->target); break;
            case MOUNT_PROC: attach_processes(target, mounting->target, pid_namespace); break;
            case MOUNT_NOTHING: close(target); break;
            case MOUNT_LINK: make_link(target, mounting, about.st_dev); break;
            case MOUNT_DEV: attach_devices(target, mounting->target); break;
        }
    }
    struct mount_attributes attributes = {.set = MOUNT_ATTR_RDONLY};
    if (mount_setattr(root, AT_EMPTY_PATH, &attributes) != 0) fail("closing the new root");
    // The new root is put over the old one, which is taken away from below it: nobody in this mount namespace has the host's files any more.
    if (fchdir(root) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) fail("changing the root");
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) fail("leaving the old root");
    close(root);
}
