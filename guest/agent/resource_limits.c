// The limits themselves and how much of them is used.
#define _GNU_SOURCE
#include "resource_limits.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "job.h"
#include "log.h"
#include "procs.h"

enum { OPEN_FILES = 4096, STACK_BYTES = 8 * 1024 * 1024 };

struct limits limits;

static struct rlimit rlimit_of(uint64_t value) {
    rlim_t bound = value != 0 ? (rlim_t) value : RLIM_INFINITY;
    return (struct rlimit){.rlim_cur = bound, .rlim_max = bound};
}

void limits_apply_to_self(void) {
    struct rlimit none = {0, 0}, files = {OPEN_FILES, OPEN_FILES};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_NOFILE, &files);
    // The agent's own stack is small, so that its forks are; programs expect the usual size.
    struct rlimit stack = {STACK_BYTES, STACK_BYTES};
    setrlimit(RLIMIT_STACK, &stack);
    // Locked memory counts like any other here, and a kernel locks its own for a moment to have it mapped.
    struct rlimit locked = rlimit_of(0);
    setrlimit(RLIMIT_MEMLOCK, &locked);
    struct rlimit processes = rlimit_of(limits.processes), size = rlimit_of(limits.disk_bytes);
    if (limits.processes != 0) setrlimit(RLIMIT_NPROC, &processes);
    if (limits.disk_bytes != 0) setrlimit(RLIMIT_FSIZE, &size);
}

// Needs CAP_SYS_RESOURCE: kernels and daemons in a snapshot were started under the limits of another sandbox.
static void apply_to_running(void) {
    struct procs procs;
    if (!procs_scan(&procs, 5000)) return;
    struct rlimit processes = rlimit_of(limits.processes), size = rlimit_of(limits.disk_bytes);
    for (int i = 0; i < procs.count; i++) {
        pid_t branch = procs_branch(&procs, procs.list[i].pid, getpid());
        if (branch == 0 || branch == procs.list[i].pid || job_of_supervisor(branch) == NULL) continue;
        if (prlimit(procs.list[i].pid, RLIMIT_NPROC, &processes, NULL) != 0) log_line("prlimit of %d refused", (int) procs.list[i].pid);
        prlimit(procs.list[i].pid, RLIMIT_FSIZE, &size, NULL);
    }
    procs_free(&procs);
}

void limits_set(const Atoll__Agent__Limits *message) {
    struct limits before = limits;
    limits.memory_bytes = message->memory_bytes;
    limits.disk_bytes = message->disk_bytes;
    limits.processes = message->processes;
    if (before.processes != limits.processes || before.disk_bytes != limits.disk_bytes) apply_to_running();
}

static uint64_t field(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10) * 1024;
}

uint64_t limits_memory_used(void) {
    // Kept open: one read per look. gVisor makes the text anew at offset 0.
    static int fd = -1;
    char text[512];
    if (fd < 0) fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n <= 0) return 0;
    text[n] = 0;
    uint64_t total = field(text, "MemTotal:"), free = field(text, "MemFree:");
    return total > free ? total - free : 0;
}

uint64_t limits_disk_used(void) {
    struct statvfs disk;
    if (statvfs("/", &disk) != 0) return 0;
    return (uint64_t) (disk.f_blocks - disk.f_bfree) * 4096;
}

bool limits_disk_full(void) {
    return limits.disk_bytes != 0 && limits_disk_used() >= limits.disk_bytes;
}
