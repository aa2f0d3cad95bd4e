#define _GNU_SOURCE
#include "starter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../jailer/failure.h"
#include "machine.h"

enum { MAX_WORDS = 64 };

static struct starter_ends own;
static int keepers[4];
static struct machine *machine;
// What makes the machine leads a session, whose group ends with it.
static pid_t maker, beginning;
// The keeper has nothing more to say.
static bool left;

void starter_prepare(const struct starter_ends *ends, const int others[4]) {
    own = *ends;
    memcpy(keepers, others, sizeof keepers);
}

static void tell(enum told_kind kind, int number, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void tell(enum told_kind kind, int number, const char *format, ...) {
    struct told told = {.kind = kind, .number = number};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(told.reason, sizeof told.reason, format, arguments);
    va_end(arguments);
    // Nobody listens when the keeper is gone; then there is nobody to tell either.
    while (send(own.control, &told, sizeof told, MSG_NOSIGNAL) < 0 && errno == EINTR) {}
}

// `report` tells the starter why there is no command; it closes itself when there is one.
static _Noreturn void become(char *const *words, int in, int out, int report) {
    if (setsid() < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(own.log, 2) < 0 || (report != 3 && dup3(report, 3, O_CLOEXEC) < 0)) fail("standard streams");
    failure_descriptor = 3;
    world_execute(&machine->world, words, 4);
}

// The process, or less than 0 after writing why it does not run.
static pid_t start(char *const *words, int in, int out, char *reason, size_t size) {
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) {
        snprintf(reason, size, "pipe: %s", strerror(errno));
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) become(words, in, out, report[1]);
    close(report[1]);
    ssize_t n = 0;
    while (pid > 0 && (n = read(report[0], reason, size - 1)) < 0 && errno == EINTR) {}
    if (pid < 0) snprintf(reason, size, "fork: %s", strerror(errno));
    // Without the line's end.
    else if (n > 0) reason[n - 1] = 0;
    close(report[0]);
    return n > 0 ? -1 : pid;
}

// Waits for a command that makes a machine, whose process is the starter's own then: orphans are given to it.
static pid_t await_machine(char *reason, size_t size) {
    int status;
    while (waitpid(maker, &status, 0) < 0) {
        if (errno != EINTR) fail("waiting");
    }
    if (status != 0) {
        snprintf(reason, size, "%s ended with wait status %d, see the log", machine->command[0], status);
        return -1;
    }
    char text[16] = "";
    int fd = open(machine->pid_file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    pid_t pid = n > 0 ? atoi(text) : 0;
    if (pid > 1) return pid;
    snprintf(reason, size, "no process id in %s", machine->pid_file);
    return -1;
}

static void kill_all(void) {
    if (beginning > 0) kill(beginning, SIGKILL);
    if (maker > 0) kill(-maker, SIGKILL);
    if (machine->pid > 0) kill(machine->pid, SIGKILL);
}

// The words come from the server by way of the keeper. Whatever they say runs in the machine's own world.
static void begin(void) {
    static char text[MAX_BEGIN + 1];
    char *words[MAX_WORDS + 1] = {0}, reason[300];
    size_t count = 0;
    ssize_t n;
    while ((n = recv(own.control, text, MAX_BEGIN, 0)) < 0 && errno == EINTR) {}
    if (n <= 0) {
        kill_all();
        left = true;
        return;
    }
    text[n] = 0;
    for (char *at = text; at < text + n && count < MAX_WORDS; at += strlen(at) + 1) words[count++] = at;
    beginning = start(words, own.nothing, own.log, reason, sizeof reason);
    if (beginning > 0) return;
    dprintf(own.log, "%s\n", reason);
    kill_all();
}

// True when the machine has ended.
static bool reap(int *how) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == machine->pid) {
            *how = status;
            return true;
        }
        if (pid != beginning) continue;
        beginning = 0;
        // It has said why in the log.
        if (status != 0) kill_all();
    }
    return false;
}

static int obey(int signals) {
    int how;
    while (!reap(&how)) {
        struct signalfd_siginfo ignored;
        struct pollfd fds[2] = {{.fd = signals, .events = POLLIN}, {.fd = left ? -1 : own.control, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR) fail("poll");
        if (fds[0].revents != 0 && read(signals, &ignored, sizeof ignored) < 0 && errno != EAGAIN && errno != EINTR) fail("signals");
        if (fds[1].revents != 0) begin();
    }
    return how;
}

// The keeper's own are blocked here too, since the starter comes from it; only ends of processes count.
static int watch_children(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0 || sigprocmask(SIG_SETMASK, &set, NULL) != 0) fail("signals");
    return fd;
}

int starter_run(void *the_machine) {
    char reason[300];
    machine = the_machine;
    for (int i = 0; i < 4; i++) close(keepers[i]);
    if (prctl(PR_SET_NAME, "atoll-starter") != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("prctl");
    // In a world all ends with this process, and this process with the keeper, however that ends.
    if (machine->world.base != 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("asking to die with the keeper");
    // Whoever waits for the end of the foreground process's output must not wait for the machine.
    if (dup2(own.nothing, 0) < 0 || dup2(own.nothing, 1) < 0 || dup2(own.nothing, 2) < 0) fail("standard streams");
    int signals = watch_children();
    maker = start(machine->command, own.in, own.out, reason, sizeof reason);
    machine->pid = maker > 0 && machine->pid_file != NULL ? await_machine(reason, sizeof reason) : maker;
    if (machine->pid < 0) {
        tell(TOLD_FAILED, 0, "%s", reason);
        return FAILED;
    }
    close(own.in);
    close(own.out);
    close(failure_descriptor);
    failure_descriptor = own.log;
    tell(TOLD_MADE, machine->pid, "%s", "");
    int how = obey(signals);
    tell(TOLD_ENDED, how, "%s", "");
    return 0;
}
