#define _GNU_SOURCE
#include "boot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "descriptors.h"
#include "log.h"
#include "loop.h"
#include "target.h"
#include "user.h"

enum { COMMAND_MILLIS = 120000, MOST_SHOWN = 64 * 1024 };

// What the agent has and no program is to have: CAP_NET_ADMIN, CAP_NET_RAW, CAP_SYS_ADMIN, and last CAP_SETPCAP, which dropping takes. A root's exec gets the
// bounding set, the agent's own included, so they can leave it only now. The agent keeps what it has.
static const int OWN_CAPABILITIES[] = {12, 13, 21, 8};

static void keep_capabilities(void) {
    if (getpid() != 1) return; // a test's agent has nothing to keep
    for (size_t i = 0; i < sizeof OWN_CAPABILITIES / sizeof *OWN_CAPABILITIES; i++) {
        if (prctl(PR_CAPBSET_DROP, OWN_CAPABILITIES[i], 0, 0, 0) != 0)
            die(EXIT_INTERNAL, "capability %d cannot be kept from programs: %s", OWN_CAPABILITIES[i], strerror(errno));
    }
}

void boot_prepare(void) {
    keep_capabilities();
    // No other process, root's included, may attach to the agent, read its memory or reach its descriptors, of which two are the stream.
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) die(EXIT_INTERNAL, "the agent cannot be closed to others: %s", strerror(errno));
    // A disk limit shows as an error of the write, never as the death of the agent.
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR) die(EXIT_INTERNAL, "signals: %s", strerror(errno));
    umask(022);
    struct user user;
    if (user_find("", &user)) default_uid = user.uid;
    else log_line("no user \"%s\": nothing can be started without naming another one", config.user);
    if (getpid() != 1) return;
    // Where they are there already, the mode is what matters.
    mkdir("/dev/shm", 01777);
    if (chmod("/dev/shm", 01777) != 0) log_line("/dev/shm: %s", strerror(errno));
    mkdir("/tmp", 01777);
    if (chmod("/tmp", 01777) != 0) log_line("/tmp: %s", strerror(errno));
    // Its presence in the image makes gVisor keep /tmp on the root file system, where it is part of the disk limit.
    unlink("/tmp/.atoll-keep");
    if (chdir("/") != 0) log_line("/: %s", strerror(errno));
}

// What start commands and the programs they leave behind print. They get a pipe rather than the log itself, which is a file of the host: until
// Hello the first of it is shown, for whoever builds the template, and nothing after that.
static struct source output = {.fd = -1};
static size_t shown;
static bool silent;

static void show(struct source *source, uint32_t events) {
    (void) events;
    char piece[4096];
    ssize_t n = read(source->fd, piece, sizeof piece);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        source_close(source);
        return;
    }
    size_t room = silent || shown >= MOST_SHOWN ? 0 : MOST_SHOWN - shown, length = (size_t) n < room ? (size_t) n : room;
    shown += length;
    // A log that cannot be written must not stop the boot.
    if (length > 0 && write(log_fd, piece, length) < 0) return;
}

void boot_silence(void) {
    silent = true;
}

static void await(pid_t pid, const char *command) {
    int64_t deadline = now_millis() + COMMAND_MILLIS;
    int status;
    for (;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        for (struct pollfd ready = {.fd = output.fd, .events = POLLIN}; output.fd >= 0 && poll(&ready, 1, 0) > 0;) show(&output, 0);
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

static _Noreturn void run(const char *command, int out) {
    char *argv[] = {"/bin/sh", "-c", (char *) command, NULL};
    struct launch launch = {.argv = argv, .user = "", .cwd = "", .in = -1, .out = out, .err = out, .control_in = -1, .control_out = -1};
    int keep[] = {out, log_fd};
    descriptors_close_all_but(keep, 2);
    struct user user;
    target_prepare(&launch, &user, log_fd);
    target_exec(&launch, &user, log_fd);
}

void boot_run_commands(void) {
    int pipe[2];
    if (config.command_count == 0) return;
    if (pipe2(pipe, O_CLOEXEC) != 0) die(EXIT_INTERNAL, "start commands: %s", strerror(errno));
    descriptors_never_block(pipe[0]);
    source_init(&output, pipe[0], EPOLLIN, show, NULL);
    for (int i = 0; i < config.command_count; i++) {
        pid_t pid = fork();
        if (pid == 0) run(config.commands[i], pipe[1]);
        if (pid < 0) die(EXIT_INTERNAL, "start \"%s\": %s", config.commands[i], strerror(errno));
        await(pid, config.commands[i]);
    }
    close(pipe[1]);
    source_arm(&output);
}
