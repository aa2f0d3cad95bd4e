#define _GNU_SOURCE
#include "disk_cap.h"

#include <unistd.h>

#include "job.h"
#include "log.h"
#include "loop.h"
#include "resource_limits.h"

enum { SETTLING = 1000 };

static bool any;

static void forget(struct job *job, void *data) {
    (void) data;
    job->capped = false;
}

void disk_caps_forgotten(void) {
    job_each(forget, NULL);
    any = false;
}

void disk_cap(const struct procs *procs, struct job *job) {
    log_line("out of disk: files of job %d grow no more", (int) job->target);
    for (int i = 0; i < procs->count; i++) {
        if (procs_branch(procs, procs->list[i].pid, getpid()) == job->supervisor && procs->list[i].pid != job->supervisor) {
            limits_stop_growth(procs->list[i].pid);
        }
    }
    job->capped = true;
    job->capped_at = now_millis();
    if (!limits_disk_used(&job->capped_use)) job->capped_use = limits.disk_bytes;
    job->settled_use = job->capped_use;
    any = true;
}

bool disk_heeds_no_cap(struct job *job, uint64_t used, uint64_t margin) {
    if (!job->capped) return false;
    bool settled = now_millis() - job->capped_at > SETTLING;
    if (!settled) job->settled_use = used;
    return used > job->capped_use + margin * 8 || (settled && used > job->settled_use + margin);
}

void disk_uncap_if_room(void) {
    if (!any || limits_disk_full()) return;
    limits_allow_growth();
    disk_caps_forgotten();
}
