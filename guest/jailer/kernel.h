// System calls and constants of Linux 5.12 and later that musl's headers do not have.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    OPEN_TREE_CLONE = 1,
    OPEN_TREE_CLOEXEC = 02000000,
    MOVE_MOUNT_F_EMPTY_PATH = 0x04,
    MOVE_MOUNT_T_EMPTY_PATH = 0x40,
    MOUNT_ATTR_RDONLY = 0x1,
    MOUNT_ATTR_NOSUID = 0x2,
    MOUNT_ATTR_NODEV = 0x4,
    MOUNT_ATTR_NOEXEC = 0x8,
    MOUNT_ATTR_IDMAP = 0x100000,
    FSOPEN_CLOEXEC = 1,
    FSMOUNT_CLOEXEC = 1,
    FSCONFIG_SET_STRING = 1,
    FSCONFIG_CMD_CREATE = 6,
    RESOLVE_NO_MAGICLINKS = 0x02,
    RESOLVE_NO_SYMLINKS = 0x04,
    RESOLVE_BENEATH = 0x08,
    KEYCTL_JOIN_SESSION_KEYRING = 1,
    CLONE_NEW_CGROUP = 0x02000000,
};

struct mount_attributes {
    uint64_t set, clear, propagation, user_namespace;
};

struct open_how_to {
    uint64_t flags, mode, resolve;
};

static inline int open_tree(int directory, const char *path, unsigned flags) {
    return (int) syscall(SYS_open_tree, directory, path, flags);
}

static inline int move_mount(int from, int to) {
    return (int) syscall(SYS_move_mount, from, "", to, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

static inline int mount_setattr(int mount, unsigned flags, struct mount_attributes *attributes) {
    return (int) syscall(SYS_mount_setattr, mount, "", flags, attributes, sizeof *attributes);
}

static inline int openat2(int directory, const char *path, struct open_how_to *how) {
    return (int) syscall(SYS_openat2, directory, path, how, sizeof *how);
}

static inline int fsopen(const char *type) {
    return (int) syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);
}

static inline int fsconfig(int context, unsigned command, const char *key, const char *value) {
    return (int) syscall(SYS_fsconfig, context, command, key, value, 0);
}

static inline int fsmount(int context, unsigned attributes) {
    return (int) syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
}

static inline int close_range_from(unsigned first) {
    return (int) syscall(SYS_close_range, first, ~0U, 0);
}

static inline int pidfd_open(pid_t pid) {
    return (int) syscall(SYS_pidfd_open, pid, 0);
}
