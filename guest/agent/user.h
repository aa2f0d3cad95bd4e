// Users of the guest, and becoming one of them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { MAX_GROUPS = 64 };

struct user {
    char name[64];
    char home[256];
    char shell[256];
    uid_t uid;
    gid_t gid;
    gid_t groups[MAX_GROUPS];
    int group_count;
};

// Looks a user up in /etc/passwd and /etc/group; an empty name means the default user. Called in forked children only (or at boot), so that
// a guest that replaced those files by a FIFO cannot stop the agent. When the agent is not root it knows only its own user.
bool user_find(const char *name, struct user *user);

// The uid of the default user, looked up at boot.
extern uid_t default_uid;

// Becomes the user for good. Returns false with errno when refused.
bool user_become(const struct user *user);

// Takes the user's rights for file access, but stays beyond the reach of the user's signals and ptrace, which look at the real and saved ids.
bool user_act_as(const struct user *user);
