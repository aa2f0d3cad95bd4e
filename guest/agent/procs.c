#include "procs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loop.h"

static bool read_proc(pid_t pid, struct proc *proc) {
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int) pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return false;
    text[n] = 0;
    // The name may hold anything, parentheses too: the fields start after the last one.
    char *fields = strrchr(text, ')');
    if (fields == NULL) return false;
    char state;
    int parent, group;
    unsigned long utime, stime;
    long cutime, cstime, rss;
    if (sscanf(fields + 1, " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld %*d %*d %*d %*d %*u %*u %ld",
               &state, &parent, &group, &utime, &stime, &cutime, &cstime, &rss) != 8) {
        return false;
    }
    *proc = (struct proc){
        .pid = pid,
        .parent = parent,
        .group = group,
        .state = state,
        .rss_bytes = rss > 0 ? (uint64_t) rss * 4096 : 0,
        .cpu_ticks = utime + stime + (uint64_t) cutime + (uint64_t) cstime,
    };
    return true;
}

bool procs_scan(struct procs *procs, int most_millis) {
    *procs = (struct procs){0};
    int64_t until = now_millis() + most_millis;
    DIR *dir = opendir("/proc");
    if (dir == NULL) return false;
    int capacity = 0;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
        if (now_millis() >= until) {
            procs->partial = true;
            break;
        }
        if (procs->count == capacity) {
            // Bounded by the number of processes, which the process limit bounds.
            int wanted = capacity ? capacity * 2 : 64;
            struct proc *grown = realloc(procs->list, (size_t) wanted * sizeof *grown);
            if (grown == NULL) {
                procs->partial = true;
                break;
            }
            procs->list = grown;
            capacity = wanted;
        }
        if (read_proc((pid_t) atoi(entry->d_name), &procs->list[procs->count])) procs->count++;
    }
    closedir(dir);
    return true;
}

void procs_free(struct procs *procs) {
    free(procs->list);
    *procs = (struct procs){0};
}

static const struct proc *find(const struct procs *procs, pid_t pid) {
    for (int i = 0; i < procs->count; i++) {
        if (procs->list[i].pid == pid) return &procs->list[i];
    }
    return NULL;
}

pid_t procs_branch(const struct procs *procs, pid_t pid, pid_t root) {
    // The step bound guards against a cycle made of two moments in time.
    for (int steps = 0; steps < procs->count + 1; steps++) {
        const struct proc *proc = find(procs, pid);
        if (proc == NULL) return 0;
        if (proc->parent == root) return pid;
        pid = proc->parent;
    }
    return 0;
}

bool procs_descends(const struct procs *procs, pid_t pid, pid_t ancestor) {
    return pid != ancestor && procs_branch(procs, pid, ancestor) != 0;
}
