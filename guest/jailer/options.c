#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "world.h"

enum { LOWEST_BASE = 65536, RANGE = 65536 };

static unsigned long long number(const char *name, const char *text, unsigned long long most) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    bool good = errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == 0 && value <= most;
    errno = 0;
    if (!good) fail("%s %s: not a number up to %llu", name, text, most);
    return value;
}

// Targets are made and opened component by component, so that none may lead elsewhere.
static const char *target(const char *path) {
    errno = 0;
    if (path[0] != '/' || path[1] == 0) fail("%s: not an absolute path below the root", path);
    for (const char *at = path; *at != 0; at++) {
        size_t length = at[0] == '/' ? strcspn(at + 1, "/") : 1;
        if (length == 0 || (at[0] == '/' && length <= 2 && strspn(at + 1, ".") == length)) fail("%s: has an empty or relative component", path);
    }
    return path;
}

static void add_mount(struct world *world, struct mounting mounting) {
    errno = 0;
    if (world->mount_count == MAX_MOUNTS) fail("more than %d mounts", MAX_MOUNTS);
    mounting.tree = -1;
    mounting.target = target(mounting.target);
    world->mounts[world->mount_count++] = mounting;
}

static void add_limit(struct world *world, const char *name, const char *value) {
    static const struct { const char *name; int resource; } known[] = {
        {"as", RLIMIT_AS}, {"nofile", RLIMIT_NOFILE}, {"fsize", RLIMIT_FSIZE}, {"nproc", RLIMIT_NPROC}, {"cpu", RLIMIT_CPU}, {"core", RLIMIT_CORE},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) != 0) continue;
        if (world->limit_count == MAX_LIMITS) break;
        world->limits[world->limit_count++] = (struct limit){known[i].resource, number(name, value, ~0ULL >> 1)};
        return;
    }
    errno = 0;
    fail("--limit %s: unknown, or too many", name);
}

int world_option(struct world *world, int count, char **arguments) {
    const char *name = arguments[0];
    struct { const char *name; int values; } known[] = {
        {"--uid-base", 1}, {"--bind", 2}, {"--bind-ro", 2}, {"--mapped", 2}, {"--mapped-ro", 2}, {"--tmpfs", 2}, {"--proc", 1}, {"--dev", 1},
        {"--cgroup", 1}, {"--limit", 2}, {"--host-network", 0}, {"--directory", 1}, {"--user", 2}, {"--link", 2}, {"--empty", 1},
    };
    int which = -1;
    for (int i = 0; i < (int) (sizeof known / sizeof *known); i++) {
        if (strcmp(name, known[i].name) == 0) which = i;
    }
    if (which < 0) return 0;
    errno = 0;
    if (known[which].values >= count) fail("%s lacks a value", name);
    const char *first = known[which].values > 0 ? arguments[1] : "", *second = known[which].values > 1 ? arguments[2] : "";
    switch (which) {
        case 0:
            // The ids of people and services of the host are below; 4294967295 means none.
            world->base = (uid_t) number(name, first, 0xfffe0000U);
            if (world->base < LOWEST_BASE || world->base % RANGE != 0) fail("--uid-base %s: not a multiple of %d from %d on", first, RANGE, LOWEST_BASE);
            break;
        case 1: case 2: case 3: case 4:
            add_mount(world, (struct mounting){.kind = MOUNT_BIND, .source = first, .target = second, .read_only = which % 2 == 0, .mapped = which > 2});
            break;
        case 5:
            add_mount(world, (struct mounting){.kind = MOUNT_TMPFS, .target = first, .bytes = number(name, second, ~0ULL >> 1)});
            if (world->mounts[world->mount_count - 1].bytes == 0) fail("--tmpfs %s: needs a size", first);
            break;
        case 6: add_mount(world, (struct mounting){.kind = MOUNT_PROC, .target = first}); break;
        case 7: add_mount(world, (struct mounting){.kind = MOUNT_DEV, .target = first}); break;
        case 8:
            if (world->group_count == MAX_GROUPS) fail("more than %d control groups", MAX_GROUPS);
            world->groups[world->group_count++] = first;
            break;
        case 9: add_limit(world, first, second); break;
        case 10: world->host_network = true; break;
        case 11: world->directory = first; break;
        case 12:
            world->user = (uid_t) number(name, first, RANGE - 1);
            world->group = (gid_t) number(name, second, RANGE - 1);
            break;
        case 14: add_mount(world, (struct mounting){.kind = MOUNT_NOTHING, .target = first}); break;
        case 13: add_mount(world, (struct mounting){.kind = MOUNT_LINK, .source = first, .target = second}); break;
    }
    return known[which].values + 1;
}
