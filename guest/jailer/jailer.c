// The jailer: see ../JAILER.md.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "enter.h"
#include "failure.h"
#include "kernel.h"
#include "world.h"

// Passed on to the command.
static const int PASSED[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { PASSED_COUNT = sizeof PASSED / sizeof *PASSED };

struct order {
    struct world world;
    char **command;
    // The control group of a world that is there already, or NULL.
    const char *enter;
    // The first process tells how the command ended.
    int told[2];
    // The caller's process, with which all ends; -1 if it need not.
    int caller;
};

static sigset_t awaited(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (int i = 0; i < PASSED_COUNT; i++) sigaddset(&set, PASSED[i]);
    return set;
}

// Passes signals on and reaps until that child has ended; its wait status. With the caller's process the child is killed.
static int await(pid_t child, int caller) {
    sigset_t set = awaited();
    struct signalfd_siginfo signal;
    struct pollfd watched[] = {{.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN}, {.fd = caller, .events = POLLIN}};
    if (watched[0].fd < 0) fail("watching for signals");
    for (;;) {
        int how;
        pid_t pid;
        while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
            if (pid != child) continue;
            close(watched[0].fd);
            return how;
        }
        if (pid < 0 && errno != ECHILD && errno != EINTR) fail("waiting");
        if (poll(watched, 2, -1) < 0) {
            if (errno == EINTR) continue;
            fail("waiting");
        }
        if (watched[1].revents != 0) {
            watched[1].fd = -1;
            if (kill(child, SIGKILL) != 0 && errno != ESRCH) fail("ending with the caller");
        }
        while (read(watched[0].fd, &signal, sizeof signal) == sizeof signal) {
            // It may have ended already; then there is nobody to tell.
            if (signal.ssi_signo != SIGCHLD && kill(child, (int) signal.ssi_signo) != 0 && errno != ESRCH) fail("passing a signal on");
        }
    }
}

// For children of this process, which is one thread. To be called last, since a change of user makes the kernel forget it.
static void die_with_parent(void) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("asking to die with the parent");
}

static int first_process(void *argument) {
    struct order *order = argument;
    close(order->told[0]);
    if (order->caller >= 0) close(order->caller);
    die_with_parent();
    // A parent outside of the PID namespace has no number here, but it holds the other end.
    struct pollfd parent = {.fd = order->told[1]};
    if (poll(&parent, 1, 0) != 0) fail("the parent is gone");
    pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid == 0) world_execute(&order->world, order->command, 3);
    int how = await(pid, -1);
    if (write(order->told[1], &how, sizeof how) != sizeof how) fail("telling the end");
    return 0;
}

// What is left outside only waits: it keeps no privilege for that.
static void retire(const struct world *world) {
    if (setgroups(0, NULL) != 0 || setresgid(world->base, world->base, world->base) != 0 || setresuid(world->base, world->base, world->base) != 0) fail("giving privileges up");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
}

// Ends as the command did, so that the caller sees it as its own.
static int end_as(int how) {
    if (WIFEXITED(how)) return WEXITSTATUS(how);
    struct rlimit none = {0, 0};
    sigset_t all;
    sigfillset(&all);
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(how), SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    raise(WTERMSIG(how));
    return 128 + WTERMSIG(how);
}

// One more command in a world: no less confined than the first, and it dies with this process.
static int run_inside(struct order *order) {
    enter_world(&order->world, order->enter);
    pid_t pid = fork();
    if (pid < 0) fail("fork");
    if (pid == 0) {
        enter_settle();
        die_with_parent();
        world_execute(&order->world, order->command, 3);
    }
    return end_as(await(pid, order->caller));
}

// Not PR_SET_PDEATHSIG: that means the thread which started this, and a server's threads come and go.
static int caller_process(void) {
    int caller = pidfd_open(getppid());
    if (caller < 0) fail("watching the caller");
    return caller;
}

static int take_option(struct order *order, int count, char **arguments) {
    if (strcmp(arguments[0], "--die-with-parent") == 0) {
        if (order->caller < 0) order->caller = caller_process();
        return 1;
    }
    if (strcmp(arguments[0], "--enter") == 0 && count > 1) {
        order->enter = arguments[1];
        return 2;
    }
    // A machine has one id less than the range: the last is its keeper's.
    if (strcmp(arguments[0], "--machine") == 0) {
        order->world.ids = 65535;
        return 1;
    }
    return 0;
}

static void parse(int argc, char **argv, struct order *order) {
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        int taken = world_option(&order->world, argc - i, argv + i);
        if (taken == 0) taken = take_option(order, argc - i, argv + i);
        errno = 0;
        if (taken == 0) fail("unknown option %s", argv[i]);
        i += taken;
    }
    errno = 0;
    if (i + 1 >= argc) fail("no command");
    order->command = argv + i + 1;
}

int main(int argc, char **argv) {
    static struct order order = {.world = {.ids = 65536}, .caller = -1};
    sigset_t set = awaited();
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0) fail("descriptor %d", fd);
    }
    // Whatever the caller left open is not the command's.
    if (close_range_from(3) != 0) fail("closing descriptors");
    parse(argc, argv, &order);
    if (sigprocmask(SIG_SETMASK, &set, NULL) != 0 || signal(SIGCHLD, SIG_DFL) == SIG_ERR || pipe2(order.told, O_CLOEXEC) != 0) fail("setup");
    if (order.enter != NULL) return run_inside(&order);
    pid_t first = world_make(&order.world, first_process, &order);
    close(order.told[1]);
    retire(&order.world);
    int ended = await(first, order.caller), how;
    ssize_t n = read(order.told[0], &how, sizeof how);
    if (n == sizeof how) return end_as(how);
    // It failed before the command ran and has said why, or was killed.
    return end_as(ended);
}
