// The limits themselves and how much of them is used.
#define _GNU_SOURCE
#include "resource_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "disk_cap.h"
#include "job.h"
#include "log.h"
#include "procs.h"

enum { OPEN_FILES = 4096, STACK_BYTES = 8 * 1024 * 1024 };

struct limits limits;

static struct rlimit rlimit_of(uint64_t value) {
    rlim_t bound = value != 0 ? (rlim_t) value : RLIM_INFINITY;
    return (struct rlimit){.rlim_cur = bound, .rlim_max = bound};
}

// What would outgrow the disk is refused by the soft limit. The hard one is left open: gVisor lets nobody raise it, so that a kernel of a template would keep the limit
// of the machine that the template was made in. Who lifts the soft one himself is ended by the watchdog, as are those who write many files.
static struct rlimit size_limit(void) {
    struct rlimit limit = rlimit_of(limits.disk_bytes);
    limit.rlim_max = RLIM_INFINITY;
    return limit;
}

static bool apply(int resource, struct rlimit limit) {
    return setrlimit(resource, &limit) == 0;
}

const char *limits_apply_to_self(void) {
    if (!apply(RLIMIT_CORE, (struct rlimit){0, 0})) return "no core dumps";
    if (!apply(RLIMIT_NOFILE, (struct rlimit){OPEN_FILES, OPEN_FILES})) return "open files";
    // The agent's own stack is small, so that its forks are; programs expect the usual size.
    if (!apply(RLIMIT_STACK, (struct rlimit){STACK_BYTES, STACK_BYTES})) return "the stack";
    // Locked memory counts like any other here, and a kernel locks its own for a moment to have it mapped. This one is given, not taken:
    // without it a kernel is slower and nothing is wider.
    if (!apply(RLIMIT_MEMLOCK, rlimit_of(0))) log_line("locked memory stays limited: %s", strerror(errno));
    if (limits.processes != 0 && !apply(RLIMIT_NPROC, rlimit_of(limits.processes))) return "processes";
    if (limits.disk_bytes != 0 && !apply(RLIMIT_FSIZE, size_limit())) return "file sizes";
    return NULL;
}

// gVisor asks whether the process itself may raise its limit, not whether the agent may. A limit that stays narrower holds all the same.
static bool is_narrower(pid_t pid, int resource, struct rlimit wanted) {
    struct rlimit set;
    if (errno != EPERM || prlimit(pid, resource, NULL, &set) != 0 || set.rlim_max > wanted.rlim_max) return false;
    set.rlim_cur = wanted.rlim_cur < set.rlim_max ? wanted.rlim_cur : set.rlim_max;
    return prlimit(pid, resource, &set, NULL) == 0;
}

// Needs CAP_SYS_RESOURCE. A process that has ended meanwhile needs no limit; one that cannot have it must not go on.
static void apply_to(pid_t pid, int resource, struct rlimit limit, const char *what) {
    if (prlimit(pid, resource, &limit, NULL) == 0 || errno == ESRCH || is_narrower(pid, resource, limit) || errno == ESRCH) return;
    log_line("the limit of %s cannot be set for %d: %s; killing it", what, (int) pid, strerror(errno));
    if (kill(pid, SIGKILL) != 0 && errno != ESRCH) die(EXIT_INTERNAL, "%d has no limit of %s and cannot be ended", (int) pid, what);
}

// Kernels and daemons in a snapshot were started under the limits of another sandbox.
static void apply_to_running(bool processes, bool sizes) {
    struct procs procs;
    if (!procs_scan(&procs, 5000) || procs.partial) die(EXIT_INTERNAL, "new limits cannot be set: the processes cannot be listed");
    for (int i = 0; i < procs.count; i++) {
        pid_t branch = procs_branch(&procs, procs.list[i].pid, getpid());
        if (branch == 0 || branch == procs.list[i].pid || job_of_supervisor(branch) == NULL) continue;
        if (processes) apply_to(procs.list[i].pid, RLIMIT_NPROC, rlimit_of(limits.processes), "processes");
        if (sizes) apply_to(procs.list[i].pid, RLIMIT_FSIZE, size_limit(), "file sizes");
    }
    procs_free(&procs);
}

void limits_stop_growth(pid_t pid) {
    // A program may lift its own cap, and then it is ended as one that heeds none.
    struct rlimit limit = size_limit();
    limit.rlim_cur = 0;
    apply_to(pid, RLIMIT_FSIZE, limit, "file sizes");
}

void limits_allow_growth(void) {
    apply_to_running(false, true);
}

void limits_set(const Atoll__Agent__Limits *message) {
    struct limits before = limits;
    limits.memory_bytes = message->memory_bytes;
    limits.disk_bytes = message->disk_bytes;
    limits.processes = message->processes;
    bool processes = before.processes != limits.processes, sizes = before.disk_bytes != limits.disk_bytes;
    if (processes || sizes) apply_to_running(processes, sizes);
    if (sizes) disk_caps_forgotten();
}

static bool field(const char *text, const char *name, uint64_t *bytes) {
    const char *at = strstr(text, name);
    if (at == NULL) return false;
    *bytes = strtoull(at + strlen(name), NULL, 10) * 1024;
    return true;
}

bool limits_memory_used(uint64_t *used) {
    // Kept open: one read per look. gVisor makes the text anew at offset 0.
    static int fd = -1;
    char text[512];
    if (fd < 0) fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n <= 0) return false;
    text[n] = 0;
    uint64_t total, free;
    if (!field(text, "MemTotal:", &total) || !field(text, "MemFree:", &free) || total == 0) return false;
    *used = total > free ? total - free : 0;
    return true;
}

bool limits_disk_used(uint64_t *used) {
    struct statvfs disk;
    if (statvfs("/", &disk) != 0) return false;
    *used = (uint64_t) (disk.f_blocks - disk.f_bfree) * 4096;
    return true;
}

bool limits_disk_full(void) {
    uint64_t used;
    return limits.disk_bytes != 0 && (!limits_disk_used(&used) || used >= limits.disk_bytes);
}
