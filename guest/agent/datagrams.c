#define _GNU_SOURCE
#include "datagrams.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
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
    UDP_HEADER = 8, IP4_HEADER = 20, IP4_LONGEST = 60, IP6_HEADER = 40,
};

// An IPv4 address is a mapped one here.
struct destination {
    struct in6_addr address;
    uint16_t port;
    int64_t told;
};

static struct source version4 = {.fd = -1}, version6 = {.fd = -1};
static struct destination known[REMEMBERED];
static int next;
static bool started;
static int seen;
static int64_t since, resume;

// True the first time in a while.
static bool is_news(const struct in6_addr *address, uint16_t port, int64_t now) {
    for (int i = 0; i < REMEMBERED; i++) {
        if (known[i].told == 0 || known[i].port != port || memcmp(&known[i].address, address, sizeof *address) != 0) continue;
        if (now - known[i].told < AGAIN) return false;
        known[i].told = now;
        return true;
    }
    known[next] = (struct destination){.address = *address, .port = port, .told = now};
    next = (next + 1) % REMEMBERED;
    return true;
}

static void tell(const char *host, uint16_t port) {
    if (connection_egress_count() >= MAX_EGRESS || !stream_has_room()) return;
    // The host answers every question, and a question has a connection: this one's socket is never used.
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) connection_ask(connection_new(fd, CONNECTION_ASKED, WAY(UDP), port), host, port, WAY(UDP));
}

static void look(const struct in6_addr *address, const uint8_t *udp, int64_t now) {
    uint16_t port = (uint16_t) (udp[2] << 8 | udp[3]);
    char text[INET6_ADDRSTRLEN];
    if (port == 0 || !is_news(address, port, now)) return;
    if (!IN6_IS_ADDR_V4MAPPED(address)) {
        tell(inet_ntop(AF_INET6, address, text, sizeof text), port);
        return;
    }
    uint32_t four;
    memcpy(&four, address->s6_addr + 12, sizeof four);
    four = ntohl(four);
    struct known_name *name = name_table_holds(four) ? name_table_find(four) : NULL;
    if (name != NULL) tell(name->name, port);
    else if (four >> 24 != IN_LOOPBACKNET) tell(inet_ntop(AF_INET, address->s6_addr + 12, text, sizeof text), port);
}

static void look4(const uint8_t *packet, size_t length, int64_t now) {
    if (length < IP4_HEADER) return;
    size_t header = (size_t) (packet[0] & 15) * 4;
    if (packet[0] >> 4 != 4 || header < IP4_HEADER || length < header + UDP_HEADER) return;
    struct in6_addr address = {.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(address.s6_addr + 12, packet + 16, 4);
    bool own = packet[16] == IN_LOOPBACKNET && packet[17] < 64;
    if (!own) look(&address, packet + header, now);
}

// All that is said over IPv6 comes by here.
static void look6(const uint8_t *packet, size_t length, int64_t now) {
    if (length < IP6_HEADER + UDP_HEADER || packet[0] >> 4 != 6 || packet[6] != IPPROTO_UDP) return;
    struct in6_addr address;
    memcpy(&address, packet + 24, sizeof address);
    if (!IN6_IS_ADDR_LOOPBACK(&address)) look(&address, packet + IP6_HEADER, now);
}

static void datagrams_ready(struct source *source, uint32_t events) {
    (void) events;
    uint8_t packet[IP4_LONGEST + UDP_HEADER];
    int64_t now = now_millis();
    if (now - since > PAUSE) {
        since = now;
        seen = 0;
    }
    for (int i = 0; i < 32; i++) {
        ssize_t n = recv(source->fd, packet, sizeof packet, 0);
        if (n < 0) return;
        (source == &version4 ? look4 : look6)(packet, (size_t) n, now);
        if (++seen > MOST) {
            source_disarm(&version4);
            source_disarm(&version6);
            resume = now + PAUSE;
            return;
        }
    }
}

static bool open_one(struct source *source, int domain, int type, int protocol) {
    int fd = socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    if (fd < 0) return false;
    // A few are enough; what does not fit is not missed.
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){16 * 1024}, sizeof(int));
    source_init(source, fd, EPOLLIN, datagrams_ready, NULL);
    if (started) source_arm(source);
    return true;
}

bool datagrams_open(void) {
    return open_one(&version4, AF_INET, SOCK_RAW, IPPROTO_UDP);
}

// Nobody has the address that an IPv6 datagram goes to, so that it is dropped before a raw socket would see it.
bool datagrams_open_version6(void) {
    return open_one(&version6, AF_PACKET, SOCK_DGRAM, htons(ETHERTYPE_IPV6));
}

void datagrams_start(void) {
    started = true;
    source_arm(&version4);
    source_arm(&version6);
}

int datagrams_timeout(void) {
    if (resume == 0) return -1;
    int64_t left = resume - now_millis();
    return left > 0 ? (int) left : 0;
}

void datagrams_tick(void) {
    if (resume == 0 || now_millis() < resume) return;
    resume = 0;
    source_arm(&version4);
    source_arm(&version6);
}
