#define _GNU_SOURCE
#include "enter.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "failure.h"
#include "kernel.h"

static bool says(int pid, const char *file, const char *beginning, const char *format, unsigned first, unsigned second) {
    char path[64], line[256], wanted[64];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
    snprintf(wanted, sizeof wanted, format, first, second);
    FILE *in = fopen(path, "re");
    while (in != NULL && !found && fgets(line, sizeof line, in) != NULL) {
        // Blanks of any number and kind separate the words. Each has a blank after it, which the last one of a cut line adds.
        char words[sizeof line + 1];
        size_t length = 0;
        for (char *word = strtok(line, " \t\n"); word != NULL; word = strtok(NULL, " \t\n")) {
            length += (size_t) snprintf(words + length, sizeof words - length, "%s ", word);
        }
        words[length] = 0;
        found = strncmp(words, beginning, strlen(beginning)) == 0 && strcmp(words, wanted) == 0;
    }
    if (in != NULL) fclose(in);
    return found;
}

// A process of a world may make namespaces of its own, but those are one level deeper, and no process there can give itself other ids of the host.
static bool is_first(int pid, const struct world *world) {
    return says(pid, "status", "NSpid: ", "NSpid: %u %u ", (unsigned) pid, 1) && says(pid, "uid_map", "0 ", "0 %u %u ", world->base, world->ids);
}

void enter_world(const struct world *world, const char *group) {
    char path[4200];
    int pid, found = -1;
    errno = 0;
    if (world->base == 0) fail("--uid-base is needed");
    snprintf(path, sizeof path, "%s/cgroup.procs", group);
    FILE *members = fopen(path, "re");
    if (members == NULL) fail("%s", path);
    while (found < 0 && fscanf(members, "%d", &pid) == 1) {
        int process = (int) syscall(SYS_pidfd_open, pid, 0);
        if (process < 0) continue;
        // Alive after the look at it, it is the one that was looked at.
        if (is_first(pid, world) && syscall(SYS_pidfd_send_signal, process, 0, NULL, 0) == 0) found = process;
        else close(process);
    }
    fclose(members);
    errno = 0;
    if (found < 0) fail("%s: no world with these user ids", group);
    if (setns(found, CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET | CLONE_NEW_CGROUP) != 0) fail("entering the world");
    close(found);
}

void enter_settle(void) {
    if (setgroups(0, NULL) != 0 || setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) fail("becoming root of the user namespace");
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS) fail("leaving the session's keys");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
}
