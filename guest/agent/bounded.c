#define _GNU_SOURCE
#include "bounded.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "descriptors.h"
#include "log.h"
#include "procs.h"
#include "supervisor.h"

enum { LOOK_MILLIS = 10, SCAN = 100, BLIND_LOOKS = 5 };

// An empty directory of the root file system, hidden by what is mounted there for one run.
#define PLACE "/opt/atoll/run"

struct bounded {
    const Atoll__Agent__Bounds *bounds;
    pid_t target;
    int reports, orders, children;
    int64_t began, next_look;
    bool target_gone;
    int blind_looks;
    struct report end;
};

static int64_t now_micros(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// A view of the root file system whose changes are kept in memory and forgotten. Needs CAP_SYS_ADMIN, which what runs in the view does not have.
static const char *mount_view(uint64_t bytes) {
    char size[40];
    snprintf(size, sizeof size, "size=%llu,mode=0755", (unsigned long long) bytes);
    if (mkdir(PLACE, 0755) != 0 && errno != EEXIST) return "the folder for the view";
    if (mount("scratch", PLACE, "tmpfs", 0, size) != 0) return "memory for the view";
    if (mkdir(PLACE "/upper", 0755) != 0 || mkdir(PLACE "/work", 0755) != 0 || mkdir(PLACE "/root", 0755) != 0) return "folders of the view";
    if (mount("view", PLACE "/root", "overlay", 0, "lowerdir=/,upperdir=" PLACE "/upper,workdir=" PLACE "/work") != 0) return "the view";
    if (mount("/dev", PLACE "/root/dev", NULL, MS_BIND | MS_REC, NULL) != 0) return "/dev";
    if (mount("shm", PLACE "/root/dev/shm", "tmpfs", 0, size) != 0 || chmod(PLACE "/root/dev/shm", 01777) != 0) return "/dev/shm";
    // Some programs count processors there; without it they count otherwise.
    if (mount("/sys", PLACE "/root/sys", NULL, MS_BIND | MS_REC, NULL) != 0) log_line("/sys in a view: %s", strerror(errno));
    if (chdir(PLACE "/root") != 0 || syscall(SYS_pivot_root, ".", ".") != 0) return "the change of the root";
    // The old root lies upon the new one now. Without it there is no way to it either.
    if (umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) return "the old root";
    return NULL;
}

static const char *mount_all(const Atoll__Agent__Bounds *bounds) {
    // Nothing of this may show outside.
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return "a mount namespace";
    const char *failed = bounds->scratch_bytes != 0 ? mount_view(bounds->scratch_bytes) : NULL;
    if (failed != NULL) return failed;
    return mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0 ? "/proc" : NULL;
}

static _Noreturn void fail(int reports, const char *what) {
    struct report report = {.type = REPORT_FAILED, .value = FAILED(IO)};
    snprintf(report.message, sizeof report.message, "a run with bounds cannot have %s: %s", what, strerror(errno));
    if (write(reports, &report, sizeof report) < 0) _exit(1);
    _exit(1);
}

void bounded_enter(const Atoll__Agent__Bounds *bounds, int reports) {
    if (unshare(CLONE_NEWIPC | CLONE_NEWNS | CLONE_NEWPID) != 0) fail(reports, "namespaces");
    pid_t inner = fork();
    if (inner < 0) fail(reports, "a supervisor");
    if (inner > 0) {
        // The other one has the pipes; this one only keeps its place among the agent's children.
        int keep[] = {log_fd};
        descriptors_close_all_but(keep, 1);
        // The inner one answers for everything that happens in its namespaces; there is nothing to add about its end.
        while (waitpid(inner, NULL, 0) < 0 && errno == EINTR) {}
        _exit(0);
    }
    if (setsid() < 0) fail(reports, "a session");
    const char *failed = mount_all(bounds);
    if (failed != NULL) fail(reports, failed);
}

static uint64_t micros(struct timeval time) {
    return (uint64_t) time.tv_sec * 1000000 + (uint64_t) time.tv_usec;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

// What those used that have been waited for, all of them after the end.
static uint64_t count_ended(struct bounded *self) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    self->end.max_rss_bytes = larger(self->end.max_rss_bytes, (uint64_t) usage.ru_maxrss * 1024);
    return micros(usage.ru_utime) + micros(usage.ru_stime);
}

// Returns false when no child is left.
static bool reap(struct bounded *self) {
    for (;;) {
        int status;
        pid_t pid = waitpid(-1, &status, WNOHANG);
        if (pid == 0) return true;
        if (pid < 0) return errno == EINTR;
        if (pid != self->target) continue;
        self->target_gone = true;
        self->end.value = status;
    }
}

static void check(struct bounded *self, uint64_t memory, uint64_t cpu, uint64_t wall) {
    const Atoll__Agent__Bounds *bounds = self->bounds;
    if (self->end.passed != 0) return;
    if (bounds->memory_bytes != 0 && memory > bounds->memory_bytes) self->end.passed = EXIT_REASON(MEMORY);
    else if (bounds->cpu_micros != 0 && cpu > bounds->cpu_micros) self->end.passed = EXIT_REASON(TIME);
    else if (bounds->wall_micros != 0 && wall > bounds->wall_micros) self->end.passed = EXIT_REASON(TIME);
}

// The first process of a namespace may signal all others in it by one call, which none of them can escape.
static _Noreturn void finish(struct bounded *self, bool tell) {
    self->end.wall_micros = (uint64_t) (now_micros() - self->began);
    while (reap(self)) {
        kill(-1, SIGKILL);
        poll(&(struct pollfd){.fd = self->children, .events = POLLIN}, 1, 1);
        struct signalfd_siginfo drained[8];
        if (read(self->children, drained, sizeof drained) < 0 && errno != EAGAIN && errno != EINTR) break;
    }
    self->end.type = REPORT_EXITED;
    self->end.cpu_micros = count_ended(self);
    // What was over between two looks.
    check(self, self->end.max_rss_bytes, self->end.cpu_micros, self->end.wall_micros);
    if (tell && write(self->reports, &self->end, sizeof self->end) < 0) _exit(1);
    _exit(0);
}

static void look(struct bounded *self) {
    struct procs procs;
    if (!procs_scan(&procs, SCAN)) {
        // What cannot be measured is within no bound.
        if (++self->blind_looks < BLIND_LOOKS) return;
        log_line("a run with bounds cannot be measured: ending it");
        self->end.passed = EXIT_REASON(MEMORY);
        finish(self, true);
    }
    self->blind_looks = 0;
    uint64_t memory = 0, cpu = count_ended(self);
    uint64_t tick = 1000000 / (uint64_t) sysconf(_SC_CLK_TCK);
    for (int i = 0; i < procs.count; i++) {
        if (procs.list[i].pid == 1 || procs.list[i].state == 'Z') continue;
        memory += procs.list[i].rss_bytes;
        cpu += procs.list[i].cpu_ticks * tick;
    }
    procs_free(&procs);
    self->end.max_rss_bytes = larger(self->end.max_rss_bytes, memory);
    check(self, memory, cpu, (uint64_t) (now_micros() - self->began));
    if (self->end.passed != 0) finish(self, true);
}

static void obey(struct bounded *self) {
    struct order order;
    ssize_t n = read(self->orders, &order, sizeof order);
    if (n < 0 && errno == EINTR) return;
    if (n != sizeof order) finish(self, false);
    if (order.type == ORDER_SIGNAL_TREE && order.signal == SIGKILL) finish(self, true);
    kill(order.type == ORDER_SIGNAL_TREE ? -1 : self->target, order.signal);
}

void bounded_supervise(const Atoll__Agent__Bounds *bounds, pid_t target, int reports, int orders, int children) {
    struct bounded self = {.bounds = bounds, .target = target, .reports = reports, .orders = orders, .children = children, .began = now_micros()};
    for (;;) {
        struct pollfd fds[2] = {{.fd = orders, .events = POLLIN}, {.fd = children, .events = POLLIN}};
        int ready = poll(fds, 2, LOOK_MILLIS);
        if (ready < 0 && errno != EINTR) _exit(1);
        if (fds[1].revents != 0) {
            struct signalfd_siginfo drained[8];
            if (read(children, drained, sizeof drained) < 0 && errno != EAGAIN && errno != EINTR) _exit(1);
        }
        bool any = reap(&self);
        if (self.target_gone || !any) finish(&self, true);
        if (fds[0].revents != 0) obey(&self);
        if (now_micros() >= self.next_look) {
            look(&self);
            self.next_look = now_micros() + LOOK_MILLIS * 1000;
        }
    }
}
