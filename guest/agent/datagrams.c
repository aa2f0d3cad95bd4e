#define _GNU_SOURCE
#include "datagrams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "connection.h"
#include "loop.h"
#include "name_table.h"
#include "stream.h"

enum {
    REMEMBERED = 64,
    // A destination is told once in this time.
    AGAIN = 10000,
    // Programs may send as many datagrams to each other as they like: beyond so many within the pause, nobody looks until it is over.
    MOST = 500, PAUSE = 1000,
    UDP_HEADER = 8, IP_HEADER = 20,
};

struct destination {
    uint32_t address;
    uint16_t port;
    int64_t told;
};

static struct source source = {.fd = -1};
static struct destination known[REMEMBERED];
static int next;
static bool started;
static int seen;
static int64_t since, resume;

// True the first time in a while.
static bool is_news(uint32_t address, uint16_t port, int64_t now) {
    for (int i = 0; i < REMEMBERED; i++) {
        if (known[i].told == 0 || known[i].address != address || known[i].port != port) continue;
        if (now - known[i].told < AGAIN) return false;
        known[i].told = now;
        return true;
    }
    known[next] = (struct destination){.address = address, .port = port, .told = now};
    next = (next + 1) % REMEMBERED;
    return true;
}

static void tell(const char *host, uint16_t port) {
    if (connection_egress_count() >= MAX_EGRESS || !stream_has_room()) return;
    // The host answers every question, and a question has a connection: this one's socket is never used.
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) connection_ask(connection_new(fd, CONNECTION_ASKED, WAY(UDP), port), host, port, WAY(UDP));
}

static void tell_address(uint32_t address, uint16_t port) {
    char text[INET_ADDRSTRLEN];
    struct in_addr target = {.s_addr = htonl(address)};
    struct known_name *known = name_table_holds(address) ? name_table_find(address) : NULL;
    if (known != NULL) tell(known->name, port);
    else if (address >> 24 != IN_LOOPBACKNET) tell(inet_ntop(AF_INET, &target, text, sizeof text), port);
}

static void look(const uint8_t *packet, size_t length, int64_t now) {
    if (length < IP_HEADER) return;
    size_t header = (size_t) (packet[0] & 15) * 4;
    if (packet[0] >> 4 != 4 || header < IP_HEADER || length < header + UDP_HEADER) return;
    uint32_t address = (uint32_t) packet[16] << 24 | (uint32_t) packet[17] << 16 | (uint32_t) packet[18] << 8 | packet[19];
    uint16_t port = (uint16_t) (packet[header + 2] << 8 | packet[header + 3]);
    bool own = address >> 22 == (uint32_t) IN_LOOPBACKNET << 2;
    if (!own && port != 0 && is_news(address, port, now)) tell_address(address, port);
}

static void datagrams_ready(struct source *unused, uint32_t events) {
    (void) unused, (void) events;
    uint8_t packet[IP_HEADER + 40 + UDP_HEADER];
    int64_t now = now_millis();
    if (now - since > PAUSE) {
        since = now;
        seen = 0;
    }
    for (int i = 0; i < 32; i++) {
        ssize_t n = recv(source.fd, packet, sizeof packet, 0);
        if (n < 0) return;
        look(packet, (size_t) n, now);
        if (++seen > MOST) {
            source_disarm(&source);
            resume = now + PAUSE;
            return;
        }
    }
}

bool datagrams_open(void) {
    int fd = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
    if (fd < 0) return false;
    // A few are enough; what does not fit is not missed.
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){16 * 1024}, sizeof(int));
    source_init(&source, fd, EPOLLIN, datagrams_ready, NULL);
    if (started) source_arm(&source);
    return true;
}

void datagrams_start(void) {
    started = true;
    source_arm(&source);
}

int datagrams_timeout(void) {
    if (resume == 0) return -1;
    int64_t left = resume - now_millis();
    return left > 0 ? (int) left : 0;
}

void datagrams_tick(void) {
    if (resume == 0 || now_millis() < resume) return;
    resume = 0;
    source_arm(&source);
}
