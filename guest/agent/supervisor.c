#define _GNU_SOURCE
#include "supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bounded.h"
#include "descriptors.h"
#include "log.h"
#include "loop.h"
#include "procs.h"
#include "target.h"
#include "user.h"

struct supervisor {
    int reports, orders, children;
    pid_t target;
    bool target_gone;
    // The target is a kernel: what it has started ends with it, for nobody is left to look after that.
    bool ends_whole;
    // While everything is being killed, the target's end waits until all of it is gone.
    bool killing, end_is_due;
    struct report end;
    // The signal that interrupts the target, 0 for SIGINT, and the process that gets it: the target, unless another does its work.
    int interrupt;
    pid_t serving;
    // An interrupt that has not had its effect yet is repeated: the signal for the target, and how long to wait for the next time.
    bool nudging;
    int nudge, nudge_wait;
    // What is being sent to all that the target has started, 0 when nothing is; until when, and whether all of it stood still.
    int clearing;
    int64_t clearing_ends;
    bool stopped;
};

enum { FIRST_NUDGE = 20, LONGEST_NUDGE = 320, SCAN = 300, CLEARING = 10000 };

static void send_report(const struct supervisor *self, const struct report *report) {
    // Smaller than PIPE_BUF, so it is written whole. A failure means that the agent has ended, and then everything has.
    if (write(self->reports, report, sizeof *report) < 0) _exit(1);
}

// Returns false when no child is left.
static bool reap(struct supervisor *self) {
    for (;;) {
        int status;
        struct rusage usage;
        pid_t pid = wait4(-1, &status, WNOHANG, &usage);
        if (pid == 0) return true;
        if (pid < 0) return errno == EINTR ? true : false;
        if (pid != self->target || self->target_gone) continue;
        self->target_gone = true;
        struct report report = {
            .type = REPORT_EXITED,
            .value = status,
            .cpu_micros = (uint64_t) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000
                + (uint64_t) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
            .max_rss_bytes = (uint64_t) usage.ru_maxrss * 1024,
        };
        if (self->killing || self->ends_whole) {
            self->end = report;
            self->end_is_due = true;
        } else {
            send_report(self, &report);
        }
    }
}

// Signals every living descendant but one once; returns how many there were.
static int signal_descendants(int number, pid_t spared) {
    struct procs procs;
    if (!procs_scan(&procs, SCAN)) return 0;
    int signalled = 0;
    pid_t self = getpid();
    for (int i = 0; i < procs.count; i++) {
        const struct proc *proc = &procs.list[i];
        if (proc->pid == spared || proc->state == 'Z' || proc->state == 'X' || !procs_descends(&procs, proc->pid, self)) continue;
        if (kill(proc->pid, number) == 0) signalled++;
    }
    procs_free(&procs);
    return signalled;
}

enum { MOST_GROUPS = 64, PATIENCE = 2000 };

// Process groups of descendants. A group lies within one session, and the target began one of its own: no other job has a process in them.
struct groups {
    pid_t list[MOST_GROUPS];
    int count;
};

static void groups_add(struct groups *groups, pid_t group) {
    for (int i = 0; i < groups->count; i++) {
        if (groups->list[i] == group) return;
    }
    if (groups->count < MOST_GROUPS) groups->list[groups->count++] = group;
}

// Kills each living descendant, and notes the groups they were in.
static void kill_seen(struct groups *groups) {
    struct procs procs;
    groups->count = 0;
    if (!procs_scan(&procs, SCAN)) return;
    pid_t self = getpid(), own = getpgrp();
    for (int i = 0; i < procs.count; i++) {
        const struct proc *proc = &procs.list[i];
        if (proc->state == 'Z' || proc->state == 'X' || !procs_descends(&procs, proc->pid, self)) continue;
        kill(proc->pid, SIGKILL);
        if (proc->group != own) groups_add(groups, proc->group);
    }
    procs_free(&procs);
}

// Kills all that the user has, other jobs too: the only call that hits every process of a bomb at once when each has a group of its own.
static void kill_all_of_user(void) {
    if (geteuid() != 0 || default_uid == 0) return;
    // The child shares this memory until it ends and changes nothing in it. All its ids are the user's, or the call would hit root's processes.
    pid_t child = vfork();
    if (child == 0) {
        if (syscall(SYS_setresuid, default_uid, default_uid, default_uid) == 0) syscall(SYS_kill, -1, SIGKILL);
        _exit(0);
    }
}

// Kills until nothing is left, which for a subreaper is the moment when it has no child any more.
static void kill_descendants(struct supervisor *self) {
    struct groups groups = {0};
    int64_t patience_ends = now_millis() + PATIENCE;
    if (!self->target_gone) groups_add(&groups, self->target);
    self->killing = true;
    while (reap(self)) {
        // A bomb of a thousand processes leaves this one a thousandth of the time, too little to look at each. A group dies by one call;
        // repeating it catches those that were born meanwhile.
        for (int pass = 0; pass < 4; pass++) {
            for (int i = 0; i < groups.count; i++) kill(-groups.list[i], SIGKILL);
        }
        if (now_millis() > patience_ends) kill_all_of_user();
        reap(self);
        kill_seen(&groups);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    self->killing = false;
    if (self->end_is_due) send_report(self, &self->end);
    self->end_is_due = false;
}

static bool order_waits(const struct supervisor *self) {
    struct pollfd orders = {.fd = self->orders, .events = POLLIN};
    return poll(&orders, 1, 0) > 0;
}

// Signals each living descendant but the target, those that stand still only with SIGKILL. Returns how many there were; -1: not all could be seen.
static int signal_others(const struct supervisor *self, int number) {
    struct procs procs;
    if (!procs_scan(&procs, SCAN)) return -1;
    int signalled = 0;
    pid_t own = getpid();
    for (int i = 0; i < procs.count; i++) {
        const struct proc *proc = &procs.list[i];
        bool stands = proc->state == 'T' && number == SIGSTOP;
        if (proc->pid == self->target || stands || proc->state == 'Z' || proc->state == 'X' || !procs_descends(&procs, proc->pid, own)) continue;
        if (kill(proc->pid, number) == 0) signalled++;
    }
    if (procs.partial) signalled = -1;
    procs_free(&procs);
    return signalled;
}

// Ends all that the target has started, and leaves the target itself alone; one step of it. Processes that start others as fast as they are killed,
// each in a session of its own, are stopped first: one that stands still keeps its place, so that no other can be started instead.
static void clear_leftovers(struct supervisor *self) {
    if (now_millis() > self->clearing_ends) {
        // The agent has not heard that they are gone, and does what it thinks right.
        self->clearing = 0;
        return;
    }
    if (signal_others(self, self->clearing) != 0) {
        // The first shot is enough for most.
        if (self->clearing == SIGKILL && !self->stopped) self->clearing = SIGSTOP;
        return;
    }
    if (self->clearing == SIGSTOP) {
        self->stopped = true;
        self->clearing = SIGKILL;
        return;
    }
    self->clearing = 0;
    send_report(self, &(struct report){.type = REPORT_CLEARED});
}

static void begin_clearing(struct supervisor *self) {
    self->clearing = SIGKILL;
    self->stopped = false;
    self->clearing_ends = now_millis() + CLEARING;
    clear_leftovers(self);
}

// The process that runs the kernel's code. It has been named by the kernel, and hostile code may have named any: only one of its own group counts.
static pid_t serving(const struct supervisor *self) {
    return self->serving > 0 && getpgid(self->serving) == self->target ? self->serving : self->target;
}

// Interrupts the processes of the target's group but those that belong to the target's own work.
static void interrupt_children(const struct supervisor *self) {
    struct procs procs;
    if (!procs_scan(&procs, SCAN)) return;
    // What was seen may belong to the next execution already; before that one began, the agent wrote that the interrupt is over.
    bool over = order_waits(self);
    for (int i = 0; i < procs.count && !over; i++) {
        const struct proc *proc = &procs.list[i];
        if (proc->group == self->target && proc->pid != self->target && proc->pid != self->serving) kill(proc->pid, SIGINT);
    }
    procs_free(&procs);
}

static void interrupt(const struct supervisor *self) {
    if (self->interrupt == 0) {
        kill(-self->target, SIGINT);
        return;
    }
    // First the kernel, so that it starts nothing after what it waits for now.
    kill(serving(self), self->interrupt);
    interrupt_children(self);
}

static void obey(struct supervisor *self) {
    struct order order;
    ssize_t n = read(self->orders, &order, sizeof order);
    if (n < 0 && errno == EINTR) return;
    if (n != sizeof order) {
        kill_descendants(self);
        _exit(0);
    }
    switch (order.type) {
        case ORDER_SIGNAL:
            if (!self->target_gone) kill(self->target, order.signal);
            break;
        case ORDER_INTERRUPT:
            // The group outlives its leader as long as it has members, but its number is only known to be ours while the leader is not reaped.
            if (self->target_gone) break;
            // An interpreter only notes a signal that comes just before it blocks, and then sleeps on. Another one makes it look at its notes.
            self->nudge = order.signal;
            interrupt(self);
            self->nudging = true;
            self->nudge_wait = FIRST_NUDGE;
            break;
        case ORDER_INTERRUPT_OVER:
            self->nudging = false;
            break;
        case ORDER_INTERRUPT_BY:
            self->interrupt = order.signal;
            break;
        case ORDER_SERVED_BY:
            self->serving = order.signal;
            break;
        case ORDER_SIGNAL_LEFTOVERS:
            if (order.signal == SIGKILL) begin_clearing(self);
            else signal_descendants(order.signal, self->target_gone ? 0 : self->target);
            break;
        default:
            if (order.signal == SIGKILL) {
                kill_descendants(self);
            } else {
                signal_descendants(order.signal, 0);
            }
    }
}

static void nudge(struct supervisor *self) {
    self->nudge_wait = self->nudge_wait * 4 > LONGEST_NUDGE ? LONGEST_NUDGE : self->nudge_wait * 4;
    if (self->target_gone) return;
    if (self->nudge != 0) kill(serving(self), self->nudge);
    // A program that was started while the interrupt came has not been hit by it, and a shell waits for it.
    interrupt_children(self);
}

static _Noreturn void supervise(struct supervisor *self) {
    for (;;) {
        struct pollfd fds[2] = {{.fd = self->orders, .events = POLLIN}, {.fd = self->children, .events = POLLIN}};
        int ready = poll(fds, 2, self->clearing != 0 ? 1 : self->nudging ? self->nudge_wait : -1);
        if (ready < 0 && errno != EINTR) _exit(1);
        if (ready == 0 && self->clearing == 0) nudge(self);
        if (self->clearing != 0) clear_leftovers(self);
        if (fds[1].revents != 0) {
            struct signalfd_siginfo drained[8];
            if (read(self->children, drained, sizeof drained) < 0 && errno != EAGAIN && errno != EINTR) _exit(1);
        }
        bool any_left = reap(self);
        if (self->end_is_due) {
            kill_descendants(self);
            any_left = false;
        }
        if (!any_left) _exit(0);
        if (fds[0].revents != 0) obey(self);
    }
}

static _Noreturn void give_up(const struct supervisor *self, int reason, const char *message) {
    struct report report = {.type = REPORT_FAILED, .value = reason};
    snprintf(report.message, sizeof report.message, "%s", message);
    send_report(self, &report);
    _exit(1);
}

// Without these it could neither adopt what the target leaves behind nor hear of its end.
static int watch_children(const struct supervisor *self) {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) give_up(self, FAILED(IO), "processes cannot be looked after");
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    int fd = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) give_up(self, FAILED(TOO_MANY), "no descriptor for a supervisor");
    return fd;
}

// No pipe of the target's may be held open from here once it runs.
static void close_targets(const struct launch *launch) {
    int fds[] = {launch->in, launch->out, launch->err, launch->control_in, launch->control_out};
    for (int i = 0; i < 5; i++) {
        // Those of a terminal are one and the same.
        bool closed = fds[i] < 0;
        for (int j = 0; j < i; j++) closed |= fds[j] == fds[i];
        if (!closed) close(fds[i]);
    }
}

void supervisor_run(const struct launch *launch, int reports, int orders) {
    struct supervisor self = {.reports = reports, .orders = orders, .ends_whole = launch->control_in >= 0};
    // Nothing of the agent's goes into this process, nor into one that it starts: not its other pipes, and never the stream to the host.
    int keep[] = {reports, orders, log_fd, launch->in, launch->out, launch->err, launch->control_in, launch->control_out};
    descriptors_close_all_but(keep, 8);
    if (setsid() < 0) give_up(&self, FAILED(IO), "no session for a supervisor");
    // Only a name: nothing depends on it.
    prctl(PR_SET_NAME, "atoll-supervise");
    if (launch->bounds != NULL) bounded_enter(launch->bounds, reports);
    self.children = watch_children(&self);
    struct user user;
    target_prepare(launch, &user, reports);
    int started[2];
    if (pipe2(started, O_CLOEXEC) != 0) give_up(&self, FAILED(TOO_MANY), "no descriptor for a supervisor");
    // In gVisor vfork takes half the time of fork. The child shares this memory until it has called exec; it is root's and not dumpable, so
    // nobody can reach into it after it has become the user, and target_exec allocates nothing and changes nothing here.
    self.target = vfork();
    if (self.target == 0) {
        close(reports);
        close(orders);
        target_exec(launch, &user, started[1]);
    }
    struct report report = {.type = REPORT_STARTED, .value = self.target};
    if (self.target < 0) give_up(&self, FAILED(TOO_MANY), "no more processes can be started");
    // Before the wait for exec.
    close(started[1]);
    close_targets(launch);
    struct report failed;
    ssize_t n;
    while ((n = read(started[0], &failed, sizeof failed)) < 0 && errno == EINTR) {}
    if (n == sizeof failed) {
        send_report(&self, &failed);
        _exit(1);
    }
    close(started[0]);
    send_report(&self, &report);
    if (launch->bounds != NULL) bounded_supervise(launch->bounds, self.target, reports, orders, self.children);
    supervise(&self);
}

pid_t supervisor_start(const struct launch *launch, int *reports, int *orders) {
    int up[2], down[2];
    if (pipe2(up, O_CLOEXEC) != 0) return -1;
    if (pipe2(down, O_CLOEXEC) != 0) {
        close(up[0]);
        close(up[1]);
        return -1;
    }
    pid_t pid = fork();
    if (pid == 0) supervisor_run(launch, up[1], down[0]);
    close(up[1]);
    close(down[0]);
    if (pid < 0) {
        close(up[0]);
        close(down[1]);
        return -1;
    }
    descriptors_never_block(up[0]);
    descriptors_never_block(down[1]);
    *reports = up[0];
    *orders = down[1];
    return pid;
}
