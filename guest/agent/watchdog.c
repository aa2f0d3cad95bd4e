// Looks at intervals whether the guest keeps its limits, and ends what breaks them.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "disk_cap.h"
#include "job.h"
#include "kernel.h"
#include "resource_limits.h"
#include "log.h"
#include "loop.h"
#include "procs.h"

enum { URGENT = 10, FAST = 50, STABLE = 250, IDLE = 1000, IDLE_MOST = 4000, STABLE_AFTER = 5000, STRIKE = 1000, RELIEF = 2000, RELIEF_AGAIN = 5000, SCAN = 100, BLIND_LOOKS = 5, SLACK = 4 * 1024 * 1024, LARGE_SHARE = 8, FAR_OVER = 512 * 1024 * 1024 };

static int64_t next_look, stable_since;
static uint64_t last_memory, last_disk;
// While nothing is asked of a guest and nothing grows in it, looks become rare: each one wakes the whole of it. The host's own bound on memory holds meanwhile.
static int idle_wait = IDLE;
// The disk is nearly full: short-lived writers are only caught by looking often.
static bool disk_is_tight;
// The last look could not be finished: looking more often would only keep the agent from its work.
static bool overwhelmed;
// How many looks in a row have seen nothing.
static int blind_looks;
// When a writer was last killed, and of which job: one that is followed by another within STRIKE is being replaced by whoever started it.
static int64_t last_strike;
static pid_t struck_job;
// Many processes that were killed give their memory back only after a while. Until then whoever is there next is not to blame.
static int64_t relief_ends;

static void find_busy(struct job *job, void *data) {
    if (job_is_busy(job)) *(bool *) data = true;
}

static int interval(void) {
    bool busy = false;
    if (job_count() == 0 || (limits.memory_bytes == 0 && limits.disk_bytes == 0 && limits.processes == 0)) return -1;
    job_each(find_busy, &busy);
    if (overwhelmed) return IDLE;
    if (!busy) return idle_wait;
    idle_wait = IDLE;
    if (disk_is_tight) return URGENT;
    return stable_since != 0 && now_millis() - stable_since > STABLE_AFTER ? STABLE : FAST;
}

int limits_timeout(void) {
    int wait = interval();
    if (wait < 0) {
        next_look = 0;
        return -1;
    }
    int64_t now = now_millis();
    // Work that has just begun is looked at soon, whatever was planned while idle.
    if (next_look == 0 || next_look > now + wait) next_look = now + wait;
    return next_look > now ? (int) (next_look - now) : 0;
}

static struct job *owner(const struct procs *procs, pid_t pid) {
    pid_t branch = procs_branch(procs, pid, getpid());
    return branch == 0 || branch == pid ? NULL : job_of_supervisor(branch);
}

static void blame(struct job *job, int reason) {
    if (job->channel != NULL && !job->channel->exited) job->channel->reason = reason;
}

// The counters may be read by the process's own user only. Taking its rights for one open spares the agent a capability to read everything;
// real and saved ids stay root's, so that the user gains no hold on the agent meanwhile.
static int open_as_owner(const char *path) {
    struct stat stat;
    if (lstat(path, &stat) != 0) return -1;
    bool other = geteuid() == 0 && stat.st_uid != 0;
    if (other && setresuid((uid_t) -1, stat.st_uid, (uid_t) -1) != 0) return -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (other && setresuid((uid_t) -1, 0, (uid_t) -1) != 0) die(EXIT_INTERNAL, "cannot become root again");
    return fd;
}

static uint64_t written_by(pid_t pid) {
    char path[40], text[256];
    snprintf(path, sizeof path, "/proc/%d/io", (int) pid);
    int fd = open_as_owner(path);
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return 0;
    text[n] = 0;
    const char *at = strstr(text, "wchar:");
    return at == NULL ? 0 : strtoull(at + 6, NULL, 10);
}

enum { REMEMBERED = 512 };

struct writer {
    pid_t pid;
    uint64_t written;
};

static struct writer before[REMEMBERED];
static int before_count;

static uint64_t growth(pid_t pid, uint64_t written) {
    for (int i = 0; i < before_count; i++) {
        if (before[i].pid == pid) return written > before[i].written ? written - before[i].written : 0;
    }
    return written;
}

static void kill_proc(const struct procs *procs, pid_t pid, int reason, const char *what) {
    struct job *job = owner(procs, pid);
    if (job == NULL) return;
    log_line("out of %s: killing %d", what, (int) pid);
    blame(job, reason);
    if (pid == job->target) job->doomed = true;
    kill(pid, SIGKILL);
}

struct holder {
    const struct procs *procs;
    struct job *job;
    uint64_t bytes;
};

static void find_holder(struct job *job, void *data) {
    struct holder *most = data;
    uint64_t bytes = 0;
    for (int i = 0; i < most->procs->count; i++) {
        const struct proc *proc = &most->procs->list[i];
        if (proc->state != 'Z' && owner(most->procs, proc->pid) == job) bytes += proc->rss_bytes;
    }
    if (bytes > most->bytes) {
        most->job = job;
        most->bytes = bytes;
    }
}

void limits_expect_relief(void) {
    int64_t now = now_millis();
    // Not without a break, or whoever has much killed would have no limit.
    if (now > relief_ends + RELIEF_AGAIN) relief_ends = now + RELIEF;
}

static void kill_job(struct job *job, int reason, const char *what) {
    log_line("out of %s: killing all of job %d", what, (int) job->target);
    blame(job, reason);
    job->doomed = true;
    job_order(job, ORDER_SIGNAL_TREE, SIGKILL);
    limits_expect_relief();
}

// One large process is ended alone. Where many small ones have used the memory up, as in a fork bomb, ending one of them changes nothing.
static void kill_largest(const struct procs *procs) {
    const struct proc *largest = NULL;
    for (int i = 0; i < procs->count; i++) {
        const struct proc *proc = &procs->list[i];
        if (proc->state == 'Z' || (largest != NULL && proc->rss_bytes <= largest->rss_bytes) || owner(procs, proc->pid) == NULL) continue;
        largest = proc;
    }
    if (largest == NULL) return;
    if (largest->rss_bytes >= limits.memory_bytes / LARGE_SHARE) {
        kill_proc(procs, largest->pid, EXIT_REASON(MEMORY), "memory");
        return;
    }
    if (now_millis() < relief_ends) return;
    struct holder most = {.procs = procs};
    job_each(find_holder, &most);
    if (most.job != NULL) kill_job(most.job, EXIT_REASON(MEMORY), "memory");
}

// Who has written most since the last notes, and how much.
struct culprit {
    pid_t pid;
    uint64_t written;
};

// Notes what each process has written.
static struct culprit note_writers(const struct procs *procs) {
    static struct writer now[REMEMBERED];
    struct culprit most = {0};
    int count = 0;
    for (int i = 0; i < procs->count && count < REMEMBERED; i++) {
        pid_t pid = procs->list[i].pid;
        if (procs->list[i].state == 'Z' || owner(procs, pid) == NULL) continue;
        now[count] = (struct writer){.pid = pid, .written = written_by(pid)};
        uint64_t grown = growth(pid, now[count].written);
        if (grown > most.written) most = (struct culprit){.pid = pid, .written = grown};
        count++;
    }
    memcpy(before, now, (size_t) count * sizeof before[0]);
    before_count = count;
    return most;
}

// True when a writer of the same job was struck just before.
static bool strike(const struct job *job) {
    int64_t now = now_millis();
    bool again = struck_job == job->supervisor && now - last_strike < STRIKE;
    last_strike = now;
    struck_job = job->supervisor;
    return again;
}

// How far the disk may be over its limit before more is ended than who is seen to write.
static uint64_t margin(void) {
    return (limits.disk_bytes < FAR_OVER ? limits.disk_bytes : FAR_OVER) / 8;
}

// What a kernel has started is ended rather than the kernel, whose own writes fail from now on.
static void stop_job_of_kernel(const struct procs *procs, struct job *job) {
    blame(job, EXIT_REASON(DISK));
    disk_cap(procs, job);
    job_order(job, ORDER_SIGNAL_LEFTOVERS, SIGKILL);
    // The code may start the next one for ever.
    if (job->channel != NULL) kernel_interrupt(job->channel);
}

static void stop_writer_of_kernel(const struct procs *procs, struct job *job, struct culprit writer, uint64_t grown, uint64_t over) {
    if (writer.written < grown / 2) {
        // That is what it says to others, by pipes: whoever filled the disk has ended.
        if (over > margin()) stop_job_of_kernel(procs, job);
    } else if (writer.pid == job->target) {
        blame(job, EXIT_REASON(DISK));
        disk_cap(procs, job);
    } else if (strike(job)) {
        stop_job_of_kernel(procs, job);
    } else {
        kill_proc(procs, writer.pid, EXIT_REASON(DISK), "disk");
    }
}

static void stop_writer(const struct procs *procs, struct culprit writer, uint64_t grown, uint64_t used) {
    struct job *job = owner(procs, writer.pid);
    if (job == NULL) return;
    if (job->kernel == NULL) {
        if (strike(job)) kill_job(job, EXIT_REASON(DISK), "disk again");
        else kill_proc(procs, writer.pid, EXIT_REASON(DISK), "disk");
    } else if (disk_heeds_no_cap(job, used, margin())) {
        kill_job(job, EXIT_REASON(DISK), "disk in spite of a cap");
    } else if (!job->capped) {
        stop_writer_of_kernel(procs, job, writer, grown, used - limits.disk_bytes);
    }
}

// Nobody was seen to write: the disk most likely grows by memory that is mapped from files, which counts for whoever has it mapped.
static void stop_mapper(const struct procs *procs, uint64_t used) {
    struct holder most = {.procs = procs};
    job_each(find_holder, &most);
    if (most.job == NULL || used - limits.disk_bytes <= margin()) return;
    if (most.job->kernel == NULL || disk_heeds_no_cap(most.job, used, margin())) {
        kill_job(most.job, EXIT_REASON(DISK), "disk by mapped files");
    } else if (!most.job->capped) {
        stop_job_of_kernel(procs, most.job);
    }
}

struct share {
    const struct procs *procs;
    unsigned total;
};

static void blame_large_share(struct job *job, void *data) {
    const struct share *share = data;
    unsigned own = 0;
    for (int i = 0; i < share->procs->count; i++) {
        if (share->procs->list[i].state != 'Z' && owner(share->procs, share->procs->list[i].pid) == job) own++;
    }
    if (own * 2 > share->total) blame(job, EXIT_REASON(PROCESSES));
}

static void look_at_processes(const struct procs *procs) {
    struct share share = {.procs = procs};
    for (int i = 0; i < procs->count; i++) {
        if (procs->list[i].state != 'Z' && owner(procs, procs->list[i].pid) != NULL) share.total++;
    }
    if (procs->partial || share.total >= limits.processes) job_each(blame_large_share, &share);
}

static void notice_change(int64_t now, uint64_t memory, uint64_t disk) {
    uint64_t by = memory > last_memory ? memory - last_memory : last_memory - memory;
    by += disk > last_disk ? disk - last_disk : last_disk - disk;
    bool changed = by > SLACK || stable_since == 0;
    if (changed) stable_since = now;
    idle_wait = changed ? IDLE : idle_wait < IDLE_MOST ? idle_wait * 2 : IDLE_MOST;
    last_memory = memory;
    last_disk = disk;
}

struct sight {
    uint64_t memory, disk;
    bool crowded;
};

// Reads what the limits are about. Returns what cannot be read, or NULL.
static const char *see(struct sight *sight, int *reason) {
    *sight = (struct sight){0};
    *reason = EXIT_REASON(MEMORY);
    if (limits.memory_bytes != 0 && !limits_memory_used(&sight->memory)) return "memory";
    *reason = EXIT_REASON(DISK);
    if (limits.disk_bytes != 0 && !limits_disk_used(&sight->disk)) return "disk";
    struct sysinfo info;
    *reason = EXIT_REASON(PROCESSES);
    if (limits.processes != 0 && sysinfo(&info) != 0) return "processes";
    // sysinfo counts the agent's own processes too, so this only says whether a closer look is worth it.
    sight->crowded = limits.processes != 0 && info.procs >= limits.processes;
    return NULL;
}

struct ending {
    const char *what;
    int reason;
};

static void end_unwatched(struct job *job, void *data) {
    const struct ending *ending = data;
    if (job_is_busy(job)) kill_job(job, ending->reason, ending->what);
}

// What cannot be watched has no limit, so it must not run. A few looks are given, since a guest without memory may fail one.
static void blind(const char *what, int reason) {
    if (++blind_looks < BLIND_LOOKS) return;
    blind_looks = 0;
    log_line("the use of %s cannot be read: ending what runs", what);
    job_each(end_unwatched, &(struct ending){.what = what, .reason = reason});
}

void limits_tick(void) {
    int64_t now = now_millis();
    if (next_look == 0 || now < next_look) return;
    next_look = 0;
    struct sight sight;
    int reason;
    const char *unseen = see(&sight, &reason);
    if (unseen != NULL) {
        blind(unseen, reason);
        return;
    }
    uint64_t grown = sight.disk > last_disk ? sight.disk - last_disk : 0;
    notice_change(now, sight.memory, sight.disk);
    // gVisor shows no more as used than there is in all, which the host sets to the very limit: reaching it is passing it.
    bool memory_over = limits.memory_bytes != 0 && sight.memory >= limits.memory_bytes;
    bool disk_over = limits.disk_bytes != 0 && sight.disk > limits.disk_bytes;
    disk_is_tight = limits.disk_bytes != 0 && grown > 0 && sight.disk > limits.disk_bytes / 4 * 3;
    overwhelmed = false;
    disk_uncap_if_room();
    if (!memory_over && !sight.crowded && !disk_is_tight) {
        blind_looks = 0;
        return;
    }
    struct procs procs;
    if (!procs_scan(&procs, SCAN)) {
        blind("processes", memory_over ? EXIT_REASON(MEMORY) : disk_is_tight ? EXIT_REASON(DISK) : EXIT_REASON(PROCESSES));
        return;
    }
    blind_looks = 0;
    overwhelmed = procs.partial;
    if (memory_over) kill_largest(&procs);
    if (disk_is_tight) {
        struct culprit writer = note_writers(&procs);
        if (disk_over && writer.pid != 0) stop_writer(&procs, writer, grown, sight.disk);
        else if (disk_over) stop_mapper(&procs, sight.disk);
    }
    if (sight.crowded) look_at_processes(&procs);
    procs_free(&procs);
}
