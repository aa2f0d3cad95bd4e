#define _GNU_SOURCE
#include "boot.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "log.h"
#include "loop.h"
#include "target.h"
#include "user.h"

enum { COMMAND_MILLIS = 120000 };

void boot_prepare(void) {
    // User processes must not be able to attach to the agent or read its memory.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    // A disk limit shows as an error of the write, never as the death of the agent.
    signal(SIGXFSZ, SIG_IGN);
    umask(022);
    struct user user;
    if (user_find("", &user)) default_uid = user.uid;
    else log_line("no user \"%s\": nothing can be started without naming another one", config.user);
    if (getpid() != 1) return;
    mkdir("/dev/shm", 01777);
    if (chmod("/dev/shm", 01777) != 0) log_line("/dev/shm: %s", strerror(errno));
    mkdir("/tmp", 01777);
    if (chmod("/tmp", 01777) != 0) log_line("/tmp: %s", strerror(errno));
    // Its presence in the image makes gVisor keep /tmp on the root file system, where it is part of the disk limit.
    unlink("/tmp/.atoll-keep");
    if (chdir("/") != 0) log_line("/: %s", strerror(errno));
}

static void await(pid_t pid, const char *command) {
    int64_t deadline = now_millis() + COMMAND_MILLIS;
    int status;
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid || (ended < 0 && errno != EINTR)) break;
        if (now_millis() > deadline) {
            // It may be slow rather than wrong: what it has done counts.
            log_line("start \"%s\" takes too long; killing it", command);
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    // A template without what its recipe asks for is none; its build shows these lines.
    if (WIFSIGNALED(status)) die(EXIT_INTERNAL, "start \"%s\" was killed by signal %d", command, WTERMSIG(status));
    if (status != 0) die(EXIT_INTERNAL, "start \"%s\" ended with exit code %d", command, WEXITSTATUS(status));
}

void boot_run_commands(void) {
    for (int i = 0; i < config.command_count; i++) {
        char *argv[] = {"/bin/sh", "-c", config.commands[i], NULL};
        struct launch launch = {.argv = argv, .user = "", .cwd = "", .in = -1, .out = log_fd, .err = log_fd, .control_in = -1, .control_out = -1};
        pid_t pid = fork();
        if (pid == 0) target_exec(&launch, log_fd);
        if (pid < 0) log_line("start \"%s\": %s", config.commands[i], strerror(errno));
        else await(pid, config.commands[i]);
    }
}
