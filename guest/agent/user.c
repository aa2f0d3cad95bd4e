#define _GNU_SOURCE
#include "user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "config.h"

uid_t default_uid = (uid_t) -1;

static void fill(struct user *user, const struct passwd *entry) {
    snprintf(user->name, sizeof user->name, "%s", entry->pw_name);
    snprintf(user->home, sizeof user->home, "%s", entry->pw_dir[0] ? entry->pw_dir : "/");
    snprintf(user->shell, sizeof user->shell, "%s", entry->pw_shell[0] ? entry->pw_shell : "/bin/sh");
    user->uid = entry->pw_uid;
    user->gid = entry->pw_gid;
    user->group_count = MAX_GROUPS;
    if (getgrouplist(entry->pw_name, entry->pw_gid, user->groups, &user->group_count) < 0) user->group_count = MAX_GROUPS;
}

bool user_find(const char *name, struct user *user) {
    memset(user, 0, sizeof *user);
    if (geteuid() != 0) {
        struct passwd *self = getpwuid(geteuid());
        if (self != NULL && (name[0] == 0 || strcmp(name, self->pw_name) == 0)) {
            fill(user, self);
            return true;
        }
        return false;
    }
    struct passwd *entry = getpwnam(name[0] ? name : config.user);
    if (entry == NULL) return false;
    fill(user, entry);
    return true;
}

bool user_become(const struct user *user) {
    if (geteuid() != 0) return user->uid == geteuid();
    if (setgroups((size_t) user->group_count, user->groups) != 0) return false;
    if (setresgid(user->gid, user->gid, user->gid) != 0) return false;
    if (setresuid(user->uid, user->uid, user->uid) != 0) return false;
    // The memory of a forked child is still the agent's; nobody may look into it before exec replaces it.
    return prctl(PR_SET_DUMPABLE, 0) == 0;
}

bool user_act_as(const struct user *user) {
    if (geteuid() != 0) return user->uid == geteuid();
    if (setgroups((size_t) user->group_count, user->groups) != 0) return false;
    if (setresgid(user->gid, user->gid, user->gid) != 0) return false;
    if (setresuid((uid_t) -1, user->uid, (uid_t) -1) != 0) return false;
    return prctl(PR_SET_DUMPABLE, 0) == 0;
}
