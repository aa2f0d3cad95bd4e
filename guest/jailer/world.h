// What one command is to see and to be: a user, a root, limits; see ../JAILER.md.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

enum { MAX_MOUNTS = 64, MAX_GROUPS = 16, MAX_LIMITS = 8 };

enum mount_kind { MOUNT_BIND, MOUNT_TMPFS, MOUNT_PROC, MOUNT_DEV, MOUNT_LINK, MOUNT_NOTHING };

// Something in the root: a mount, a symbolic link to `source`, or an empty directory.
struct mounting {
    enum mount_kind kind;
    const char *source, *target;
    bool read_only, mapped;
    unsigned long long bytes;
    // The source's tree, not attached yet.
    int tree;
    bool is_directory;
};

struct limit {
    int resource;
    rlim_t value;
};

struct world {
    uid_t base;
    // How many ids there are inside; id 0 is `base` on the host.
    unsigned ids;
    struct mounting mounts[MAX_MOUNTS];
    int mount_count;
    const char *groups[MAX_GROUPS];
    int group_count, group_files[MAX_GROUPS];
    struct limit limits[MAX_LIMITS];
    int limit_count;
    bool host_network;
    const char *directory;
    uid_t user;
    gid_t group;
};

// Takes one option of the command line if it is one of a world's; how many arguments it and its values are, 0 for another's. Ends the process when a value is bad.
int world_option(struct world *world, int count, char **arguments);

// Makes the namespaces and the root. What `inside` returns is the exit status of the first process of the namespaces: it is called as root of the user namespace, which is
// nobody on the host, with no_new_privs. The caller is in the same root afterwards, with all its privileges still. Called once, by a process with one thread that runs as root of the host.
pid_t world_make(struct world *world, int (*inside)(void *), void *argument);

// Opens the control groups, and moves the calling process into them; world_make does both.
void world_open_groups(struct world *world);
void world_join_groups(const struct world *world);

// In a process of the world: limits, user, directory; then the command replaces it, without the descriptors from `first` on. Never returns.
_Noreturn void world_execute(const struct world *world, char *const *command, unsigned first);
