#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(int fd, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n > 0 && write(fd, text, (size_t) n < sizeof text ? (size_t) n : sizeof text - 1) < 0) _exit(126);
    _exit(127);
}

static int open_in(const char *directory, const char *file, char *path, size_t size) {
    snprintf(path, size, "%s/%s", directory, file);
    return open(path, O_WRONLY | O_CLOEXEC);
}

// Runs in the command's process, so the keeper stays outside the machine's limits. DIR comes from the server's own configuration.
// Version 1 lets one thread move itself by way of `tasks` without the lock that cgroup.procs takes against forks of the whole host, for which
// the kernel waits 5 to 10 ms. This process has just been forked and is that one thread, so the two mean the same.
static void join(const char *directory, int failure) {
    char path[4200];
    int fd = open_in(directory, "tasks", path, sizeof path);
    if (fd < 0 && errno == ENOENT) fd = open_in(directory, "cgroup.procs", path, sizeof path);
    if (fd < 0 || write(fd, "0", 1) != 1) fail(failure, "%s: %s", path, strerror(errno));
    close(fd);
}

// gVisor reports the host's MemTotal to the guest; the mount is private to this process, so nothing else on the host sees it.
static void replace_meminfo(const char *file, int failure) {
    if (unshare(CLONE_NEWNS) != 0) fail(failure, "unshare: %s", strerror(errno));
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail(failure, "making mounts private: %s", strerror(errno));
    if (mount(file, "/proc/meminfo", NULL, MS_BIND, NULL) != 0) fail(failure, "mounting %s: %s", file, strerror(errno));
}

static _Noreturn void become(const struct command *command, char *const *argv, int in, int out, int log, int failure) {
    setsid();
    for (int i = 0; i < command->cgroup_count; i++) join(command->cgroups[i], failure);
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(log, 2) < 0) fail(failure, "dup2: %s", strerror(errno));
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv);
    fail(failure, "%s: %s", argv[0], strerror(errno));
}

static int open_log(const struct command *command) {
    return open(command->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// Waits for a command that makes a machine. The machine's process is the keeper's own then, since orphans below the keeper are given to it.
static int await_machine(struct command *command, char *message, size_t size) {
    int status;
    while (waitpid(command->pid, &status, 0) < 0 && errno == EINTR) {}
    if (status != 0) {
        snprintf(message, size, "%s ended with wait status %d, see %s", command->argv[0], status, command->log);
        return 0;
    }
    char text[16] = "";
    int fd = open(command->machine_pid, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    command->pid = n > 0 ? atoi(text) : 0;
    if (command->pid > 1) return 1;
    snprintf(message, size, "no process id in %s", command->machine_pid);
    return 0;
}

int command_start(struct command *command, char *message, size_t size) {
    int in[2], out[2], started[2];
    int log = open_log(command);
    if (log < 0 || pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(started, O_CLOEXEC) != 0) {
        snprintf(message, size, "%s: %s", log < 0 ? command->log : "pipe", strerror(errno));
        return 0;
    }
    command->pid = fork();
    if (command->pid < 0) {
        snprintf(message, size, "fork: %s", strerror(errno));
        return 0;
    }
    if (command->pid == 0) {
        if (command->meminfo != NULL) replace_meminfo(command->meminfo, started[1]);
        become(command, command->argv, in[0], out[1], log, started[1]);
    }
    close(in[0]);
    close(out[1]);
    close(started[1]);
    close(log);
    ssize_t n;
    while ((n = read(started[0], message, size - 1)) < 0 && errno == EINTR) {}
    close(started[0]);
    if (n > 0) {
        message[n] = 0;
        return 0;
    }
    if (command->machine_pid != NULL && !await_machine(command, message, size)) return 0;
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    command->in = in[1];
    command->out = out[0];
    return 1;
}

pid_t command_begin(const struct command *command, char *const *argv) {
    int log = open_log(command), nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pid_t pid = log < 0 || nothing < 0 ? -1 : fork();
    if (pid == 0) become(command, argv, nothing, log, log, log);
    if (log >= 0) close(log);
    if (nothing >= 0) close(nothing);
    return pid;
}
