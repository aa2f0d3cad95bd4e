#define _GNU_SOURCE
#include "ports.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "loop.h"
#include "network.h"
#include "procs.h"
#include "stream.h"
#include "utf8.h"

enum { MAX_PORTS = 256, MAX_LINES = 65536, MAX_PROGRAM = 16, LISTENING = 0x0A, SEARCH_MILLIS = 250 };

struct listening {
    uint16_t port;
    bool loopback;
    ino_t inode;
    pid_t pid;
    char program[UTF8_GROWTH * MAX_PROGRAM];
};

struct listings {
    struct listening list[MAX_PORTS];
    int count;
};

// IPv4 and IPv6 of one port are one port here, and open to all if either is.
static void add(struct listings *listings, uint16_t port, bool loopback, ino_t inode) {
    for (int i = 0; i < listings->count; i++) {
        if (listings->list[i].port != port) continue;
        listings->list[i].loopback &= loopback;
        return;
    }
    if (listings->count < MAX_PORTS) listings->list[listings->count++] = (struct listening){.port = port, .loopback = loopback, .inode = inode};
}

static void read_table(struct listings *listings, const char *path) {
    FILE *in = fopen(path, "re");
    if (in == NULL) return;
    char line[512];
    for (int i = 0; i < MAX_LINES && fgets(line, sizeof line, in) != NULL; i++) {
        char address[40];
        unsigned port, state;
        unsigned long inode;
        if (sscanf(line, " %*d: %39[0-9A-Fa-f]:%x %*s %x %*s %*s %*s %*u %*u %lu", address, &port, &state, &inode) != 4) continue;
        if (state != LISTENING || network_is_own_socket(inode)) continue;
        bool everywhere = strspn(address, "0") == strlen(address);
        add(listings, (uint16_t) port, !everywhere, inode);
    }
    fclose(in);
}

static struct listings *read_tables(void) {
    struct listings *listings = calloc(1, sizeof *listings);
    if (listings == NULL) return NULL;
    read_table(listings, "/proc/net/tcp");
    read_table(listings, "/proc/net/tcp6");
    return listings;
}

static void read_program(struct listening *listening) {
    char path[40], text[MAX_PROGRAM + 1];
    snprintf(path, sizeof path, "/proc/%d/comm", (int) listening->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    utf8_clean(text, listening->program, sizeof listening->program);
}

// Returns how many of the ports are this process's.
static int match_descriptors(struct listings *listings, pid_t pid) {
    char path[40], link[64];
    snprintf(path, sizeof path, "/proc/%d/fd", (int) pid);
    DIR *dir = opendir(path);
    if (dir == NULL) return 0;
    int found = 0;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        unsigned long inode;
        ssize_t n = readlinkat(dirfd(dir), entry->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = 0;
        if (sscanf(link, "socket:[%lu]", &inode) != 1) continue;
        for (int i = 0; i < listings->count; i++) {
            struct listening *listening = &listings->list[i];
            if (listening->inode != inode || listening->pid != 0) continue;
            listening->pid = pid;
            read_program(listening);
            found++;
        }
    }
    closedir(dir);
    return found;
}

// Looks for a while only: a guest with very many processes and descriptors must not hold up the agent.
static void find_programs(struct listings *listings) {
    struct procs procs;
    if (listings->count == 0 || !procs_scan(&procs, 250)) return;
    int64_t deadline = now_millis() + SEARCH_MILLIS;
    int missing = listings->count;
    for (int i = 0; i < procs.count && missing > 0 && now_millis() < deadline; i++) {
        if (procs.list[i].pid != getpid() && procs.list[i].state != 'Z') missing -= match_descriptors(listings, procs.list[i].pid);
    }
    procs_free(&procs);
}

void ports_send(void) {
    struct listings *listings = read_tables();
    FRAME(frame, 0, PORTS, ports, Ports);
    Atoll__Agent__Port ports[MAX_PORTS], *pointers[MAX_PORTS];
    if (listings != NULL) {
        find_programs(listings);
        for (int i = 0; i < listings->count; i++) {
            struct listening *listening = &listings->list[i];
            pointers[i] = &ports[i];
            atoll__agent__port__init(&ports[i]);
            ports[i].port = listening->port;
            ports[i].loopback = listening->loopback;
            ports[i].pid = (uint32_t) listening->pid;
            ports[i].program = listening->program;
        }
        frame_body.n_ports = (size_t) listings->count;
        frame_body.ports = pointers;
    }
    stream_send(&frame);
    free(listings);
}

bool ports_is_taken(uint16_t port) {
    struct listings *listings = read_tables();
    bool taken = false;
    for (int i = 0; listings != NULL && i < listings->count; i++) taken |= listings->list[i].port == port;
    free(listings);
    return taken;
}
