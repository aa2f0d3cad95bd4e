// The agent: PID 1 of a guest, at the end of one byte stream to the host.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot.h"
#include "config.h"
#include "control.h"
#include "descriptors.h"
#include "files.h"
#include "job.h"
#include "kernel.h"
#include "resource_limits.h"
#include "log.h"
#include "loop.h"
#include "network.h"
#include "own_image.h"
#include "spare.h"
#include "stream.h"
#include "thaw.h"
#include "tools.h"

enum { ABOVE_CHILDREN = 64, SPARE_MILLIS = 600000, PAUSE_MILLIS = 10 };

static struct source children;

static int move_up(int fd) {
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, ABOVE_CHILDREN);
    if (moved < 0) die(EXIT_INTERNAL, "descriptor %d: %s", fd, strerror(errno));
    return moved;
}

// The stream must never lie where a child could inherit it by mistake.
static void take_stream(int *in, int *out) {
    *in = move_up(0);
    *out = move_up(1);
    log_fd = move_up(2);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) die(EXIT_INTERNAL, "/dev/null: %s", strerror(errno));
    for (int fd = 0; fd < 3; fd++) {
        if (dup2(null, fd) < 0) die(EXIT_INTERNAL, "descriptor %d: %s", fd, strerror(errno));
    }
    if (null > 2) close(null);
    descriptors_never_block(*in);
    descriptors_never_block(*out);
}

static void reap(struct source *source, uint32_t events) {
    (void) events;
    struct signalfd_siginfo drained[16];
    if (read(source->fd, drained, sizeof drained) < 0 && errno != EAGAIN && errno != EINTR) log_line("signalfd: %s", strerror(errno));
    pid_t pid;
    int status;
    // Supervisors are told by the end of their pipe; orphans of boot commands are nobody's.
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (!spare_reaped(pid)) files_reaped(pid, status);
    }
}

static void watch_children(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) die(EXIT_INTERNAL, "signals: %s", strerror(errno));
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) die(EXIT_INTERNAL, "signalfd: %s", strerror(errno));
    source_init(&children, fd, EPOLLIN, reap, NULL);
    source_arm(&children);
}

static void resume(struct job *job, void *data) {
    (void) data;
    job_resume(job);
}

static int shorter(int a, int b) {
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

static void turn(int most_wait) {
    if (thaw_is_quiesced()) {
        stream_wait_host_only();
    } else {
        int wait = shorter(shorter(limits_timeout(), network_timeout()), most_wait);
        // The last flush may have made the room that somebody was refused before; no event would tell.
        if (stream_can_reopen()) wait = 0;
        bool missing = spare_is_missing();
        // Forking ahead waits for a pause, so that it never delays what somebody waits for.
        if (!loop_wait(missing ? shorter(wait, PAUSE_MILLIS) : wait) && missing) spare_prepare();
        limits_tick();
        network_tick();
        if (stream_reopened()) {
            job_each(resume, NULL);
            files_resume_all();
            network_resume();
        }
    }
    stream_flush();
}

static const char *config_file(int argc, char **argv) {
    if (argc == 1) return "/etc/atoll/agent.conf";
    if (argc == 3 && strcmp(argv[1], "--config") == 0) return argv[2];
    die(EXIT_INTERNAL, "usage: atoll-agent [--config FILE | walk FOLDER | pack FOLDER]");
}

int main(int argc, char **argv) {
    int in, out;
    if (argc == 3 && strcmp(argv[1], "walk") == 0) return walk_tool(argv[2]);
    if (argc == 3 && strcmp(argv[1], "pack") == 0) return pack_tool(argv[2]);
    own_image();
    config_load(config_file(argc, argv));
    take_stream(&in, &out);
    loop_init();
    watch_children();
    boot_prepare();
    boot_run_commands();
    // Behind the commands: what a template starts may want a port for itself, and nobody would answer it here before the loop runs.
    network_open();
    stream_open(in, out);
    kernel_start_spare();
    int64_t deadline = now_millis() + SPARE_MILLIS;
    while (kernel_spare_is_starting() && now_millis() < deadline) turn(100);
    // A template without what its recipe asks for is none.
    if (config.spare != NULL && !kernel_has_spare()) die(EXIT_INTERNAL, "the spare %s kernel ended while starting", config.spare);
    control_hello();
    boot_silence();
    // Not earlier: the host hears of no connection before Hello.
    network_start();
    stream_flush();
    for (;;) turn(-1);
}
