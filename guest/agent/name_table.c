#include "name_table.h"

#include <stdlib.h>
#include <string.h>

#include "log.h"

enum { BUCKETS = 1024 };

static const uint32_t NETWORK = 127u << 24 | 64u << 16, HOST_BITS = (1u << 22) - 1;

// Made when the first name is asked for: most guests never need it.
struct table {
    struct known_name *by_name[BUCKETS], *by_address[BUCKETS];
    struct known_name *newest, *oldest;
    unsigned count;
};

static struct table *table;

// The address comes from the name, so that a name has the same address in a sandbox and in its forks, and keeps it when it was forgotten.
static uint32_t hash(const char *name) {
    uint32_t value = 2166136261u;
    for (; *name != 0; name++) value = (value ^ (uint8_t) *name) * 16777619u;
    return value ^ value >> 15;
}

bool name_table_holds(uint32_t address) {
    return (address & ~HOST_BITS) == NETWORK;
}

static void unlink_age(struct known_name *known) {
    if (known->newer != NULL) known->newer->older = known->older;
    else table->newest = known->older;
    if (known->older != NULL) known->older->newer = known->newer;
    else table->oldest = known->newer;
}

static void link_newest(struct known_name *known) {
    known->newer = NULL;
    known->older = table->newest;
    if (table->newest != NULL) table->newest->newer = known;
    else table->oldest = known;
    table->newest = known;
}

static struct known_name *use(struct known_name *known) {
    unlink_age(known);
    link_newest(known);
    return known;
}

static struct known_name *at(uint32_t address) {
    struct known_name *known = table->by_address[address % BUCKETS];
    while (known != NULL && known->address != address) known = known->next_by_address;
    return known;
}

static bool make_room(void) {
    if (table->count < MAX_NAMES) return true;
    struct known_name *known = table->oldest;
    while (known != NULL && known->users > 0) known = known->newer;
    if (known == NULL) return false;
    unlink_age(known);
    struct known_name **link = &table->by_name[hash(known->name) % BUCKETS];
    while (*link != known) link = &(*link)->next_by_name;
    *link = known->next_by_name;
    link = &table->by_address[known->address % BUCKETS];
    while (*link != known) link = &(*link)->next_by_address;
    *link = known->next_by_address;
    free(known);
    table->count--;
    return true;
}

static uint32_t free_address(uint32_t start) {
    uint32_t host = start & HOST_BITS;
    // The network's own address, and any that is taken, is passed over; there are a thousand times more than names.
    while (host == 0 || at(NETWORK | host) != NULL) host = (host + 1) & HOST_BITS;
    return NETWORK | host;
}

struct known_name *name_table_add(const char *name) {
    if (table == NULL) table = calloc(1, sizeof *table);
    if (table == NULL) die(EXIT_INTERNAL, "out of memory for the names");
    uint32_t key = hash(name);
    for (struct known_name *known = table->by_name[key % BUCKETS]; known != NULL; known = known->next_by_name) {
        if (strcmp(known->name, name) == 0) return use(known);
    }
    if (!make_room()) return NULL;
    struct known_name *known = calloc(1, sizeof *known);
    if (known == NULL) die(EXIT_INTERNAL, "out of memory for a name");
    strncpy(known->name, name, MAX_HOST);
    known->address = free_address(key);
    known->next_by_name = table->by_name[key % BUCKETS];
    table->by_name[key % BUCKETS] = known;
    known->next_by_address = table->by_address[known->address % BUCKETS];
    table->by_address[known->address % BUCKETS] = known;
    link_newest(known);
    table->count++;
    return known;
}

struct known_name *name_table_find(uint32_t address) {
    struct known_name *known = table == NULL ? NULL : at(address);
    return known == NULL ? NULL : use(known);
}
