#define _GNU_SOURCE
#include "processors.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "procs.h"

enum { SCAN_MILLIS = 1000 };

static int shown;

// Those that were started ahead for what is yet to come. What runs as another user is refused to the agent: Python's kernel sees to it itself, and others see all
// that there are.
static void show_to_running(const cpu_set_t *set) {
    struct procs procs;
    if (!procs_scan(&procs, SCAN_MILLIS)) return;
    for (int i = 0; i < procs.count; i++) {
        if (procs_descends(&procs, procs.list[i].pid, getpid())) sched_setaffinity(procs.list[i].pid, sizeof *set, set);
    }
    procs_free(&procs);
}

// Which processor a thread really runs on is the host's matter, and so is how much of it: the control group sees to that. gVisor keeps the mask for those who ask, and
// programs that make a thread for each processor ask for it.
static void show(int count) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < count && i < CPU_SETSIZE; i++) CPU_SET(i, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        log_line("processors: %s", strerror(errno));
        return;
    }
    shown = count;
    show_to_running(&set);
}

void processors_set(Atoll__Agent__Variable *const *env, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int wanted = strcmp(env[i]->name, "ATOLL_CPUS") == 0 ? atoi(env[i]->value) : 0;
        if (wanted > 0 && wanted != shown) show(wanted);
    }
}
