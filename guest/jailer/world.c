#define _GNU_SOURCE
#include "world.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "failure.h"
#include "kernel.h"
#include "root.h"

enum { TMPFS = 0x01021994 };

// Version 1 lets one thread move itself by way of `tasks` without the lock that cgroup.procs takes against forks of the whole host, for which the kernel waits 5 to 10 ms.
// The process that does it has just been made and is that one thread, so the two mean the same. The kernel asks whether the process that opened the file may.
void world_open_groups(struct world *world) {
    for (int i = 0; i < world->group_count; i++) {
        char path[4200];
        snprintf(path, sizeof path, "%s/tasks", world->groups[i]);
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (fd < 0 && errno == ENOENT) {
            snprintf(path, sizeof path, "%s/cgroup.procs", world->groups[i]);
            fd = open(path, O_WRONLY | O_CLOEXEC);
        }
        if (fd < 0) fail("%s", path);
        world->group_files[i] = fd;
    }
}

static void write_map(pid_t pid, const char *file, const struct world *world) {
    char path[64], line[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int) pid, file);
    int length = snprintf(line, sizeof line, "0 %u %u\n", world->base, world->ids);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, line, (size_t) length) != length) fail("%s", path);
    close(fd);
}

static int open_namespace(pid_t pid, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/ns/%s", (int) pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) fail("%s", path);
    return fd;
}

// Believes nothing that was arranged by the other process: this is where the host is lost from sight.
static void check_root(void) {
    struct statfs about;
    if (chdir("/") != 0 || statfs("/", &about) != 0) fail("the new root");
    errno = 0;
    if (about.f_type != TMPFS || !(about.f_flags & ST_RDONLY)) fail("the root is not the new one");
}

void world_join_groups(const struct world *world) {
    for (int i = 0; i < world->group_count; i++) {
        if (write(world->group_files[i], "0", 1) != 1) fail("joining %s", world->groups[i]);
        close(world->group_files[i]);
    }
}

// The first process of the namespaces, once its root is there.
static void settle(const struct world *world) {
    world_join_groups(world);
    check_root();
    if (setgroups(0, NULL) != 0 || setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0) fail("becoming root of the user namespace");
    // In a mount namespace that belongs to the user namespace all mounts from outside are locked: none can be taken away or be made writable.
    if (unshare(CLONE_NEWNS | CLONE_NEW_CGROUP) != 0) fail("unshare");
    check_root();
    if (sethostname("atoll", 5) != 0) fail("sethostname");
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS) fail("leaving the session's keys");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
}

static int wait_for_root(const int go[2]) {
    char byte;
    ssize_t n;
    close(go[1]);
    while ((n = read(go[0], &byte, 1)) < 0 && errno == EINTR) {}
    close(go[0]);
    return n == 1;
}

pid_t world_make(struct world *world, int (*inside)(void *), void *argument) {
    int go[2];
    errno = 0;
    if (world->base == 0) fail("--uid-base is needed");
    if (geteuid() != 0) fail("only root of the host can give a command user ids of its own");
    umask(022);
    world_open_groups(world);
    // From here on no mount reaches the host, and the process holds no directory of it.
    if (unshare(CLONE_NEWNS) != 0) fail("making a mount namespace");
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail("making mounts private");
    root_open_sources(world);
    if (chdir("/") != 0 || pipe2(go, O_CLOEXEC) != 0) fail("setup");
    int flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | (world->host_network ? 0 : CLONE_NEWNET);
    pid_t pid = (pid_t) syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
    if (pid < 0) fail("making user, PID, IPC, UTS and network namespaces");
    if (pid == 0) {
        if (!wait_for_root(go)) _exit(FAILED);
        settle(world);
        _exit(inside(argument));
    }
    close(go[0]);
    write_map(pid, "uid_map", world);
    write_map(pid, "gid_map", world);
    int users = open_namespace(pid, "user"), processes = open_namespace(pid, "pid");
    root_make(world, users, processes);
    close(users);
    close(processes);
    for (int i = 0; i < world->group_count; i++) close(world->group_files[i]);
    if (write(go[1], "+", 1) != 1) fail("the first process is gone");
    close(go[1]);
    return pid;
}

_Noreturn void world_execute(const struct world *world, char *const *command, unsigned first) {
    sigset_t none;
    sigemptyset(&none);
    for (int number = 1; number < NSIG; number++) {
        if (number != SIGKILL && number != SIGSTOP && (number < 32 || number > 34) && signal(number, SIG_DFL) == SIG_ERR) fail("signal %d", number);
    }
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) fail("signals");
    if (chdir(world->directory == NULL ? "/" : world->directory) != 0) fail("%s", world->directory);
    for (int i = 0; i < world->limit_count; i++) {
        struct rlimit limit = {world->limits[i].value, world->limits[i].value};
        if (setrlimit(world->limits[i].resource, &limit) != 0) fail("limit %d of resource %d", (int) limit.rlim_max, world->limits[i].resource);
    }
    if (world->user != 0 || world->group != 0) {
        if (setgroups(0, NULL) != 0 || setresgid(world->group, world->group, world->group) != 0 || setresuid(world->user, world->user, world->user) != 0) fail("becoming user %u", world->user);
    }
    if (close_range_from(first) != 0) fail("closing descriptors");
    execvp(command[0], command);
    fail("%s", command[0]);
}
