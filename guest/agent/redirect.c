#define _GNU_SOURCE
#include "redirect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// What Linux has in linux/netlink.h, linux/rtnetlink.h, linux/netfilter_ipv4/ip_tables.h and linux/netfilter_ipv6/ip6_tables.h, which musl comes
// without.

enum { NETLINK_ROUTE = 0, NLMSG_ERROR = 2, RTM_NEWADDR = 20, NLM_F_REQUEST = 1, NLM_F_ACK = 4, NLM_F_CREATE = 0x400, IFA_LOCAL = 2 };

struct address_request {
    uint32_t length;
    uint16_t type, flags;
    uint32_t sequence, pid;
    // struct ifaddrmsg
    uint8_t family, prefix, address_flags, scope;
    uint32_t index;
    // struct rtattr
    uint16_t attribute_length, attribute_type;
    uint8_t address[16];
};

struct address_answer {
    uint32_t length;
    uint16_t type, flags;
    uint32_t sequence, pid;
    int32_t error;
    char request[256];
};

enum { SO_SET_REPLACE = 64, SO_ORIGINAL_DST = 80, INVERT_DESTINATION = 0x10, CHECK_PROTOCOL = 1, ACCEPT = -2, PROTO_SPECIFIED = 2 };
enum { PRE_ROUTING, LOCAL_IN, FORWARD, LOCAL_OUT, POST_ROUTING, HOOKS };

// An entry of a table begins with source, destination and their masks, goes on with four names of interfaces and the protocol, and ends with the
// offsets and counters of ENTRY_END. Its flags are where each protocol likes them.
struct family {
    int domain, level;
    size_t address_size, flags, inverted, entry_end, entry_size;
    uint8_t flag_values;
    // What stays with the programs of the guest.
    uint8_t own[16], own_mask[16];
};

enum { INTERFACES = 4 * 16, TARGET_OFFSET = 4, NEXT_OFFSET = 6 };

static const struct family version4 = {
    .domain = AF_INET, .level = IPPROTO_IP, .address_size = 4, .flags = 82, .inverted = 83, .entry_end = 84, .entry_size = 112,
    .own = {127}, .own_mask = {0xff, 0xc0},
};

static const struct family version6 = {
    .domain = AF_INET6, .level = IPPROTO_IPV6, .address_size = 16, .flags = 131, .inverted = 132, .entry_end = 136, .entry_size = 168,
    .flag_values = CHECK_PROTOCOL, .own = {[15] = 1},
    .own_mask = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
};

struct target {
    uint16_t size;
    char name[29];
    uint8_t revision;
};

struct verdict {
    struct target target;
    int32_t verdict, padding;
};

struct redirection4 {
    struct target target;
    uint32_t count, flags, first_address, last_address;
    uint16_t first_port, last_port;
    uint32_t padding;
};

struct redirection6 {
    struct target target;
    uint32_t flags;
    uint8_t first_address[16], last_address[16];
    uint16_t first_port, last_port;
};

struct last {
    struct target target;
    char error[32];
};

struct table {
    char name[32];
    uint32_t valid_hooks, entry_count, size, hook_entry[HOOKS], underflow[HOOKS], counter_count;
    void *counters;
    uint8_t entries[1536];
};

_Static_assert(sizeof(struct target) == 32 && sizeof(struct verdict) == 40 && sizeof(struct redirection4) == 56, "as in ip_tables.h");
_Static_assert(sizeof(struct redirection6) == 72 && offsetof(struct table, entries) == 96, "as in ip6_tables.h");

// Gives the entry's place. One that redirects is for TCP to all but the guest's own addresses; the others are for everything.
static uint32_t append(struct table *table, const struct family *family, bool redirects, const void *target, size_t size) {
    uint32_t at = table->size;
    uint8_t *entry = table->entries + at;
    uint16_t target_offset = (uint16_t) family->entry_size, next_offset = (uint16_t) (family->entry_size + size);
    if (redirects) {
        uint16_t protocol = IPPROTO_TCP;
        memcpy(entry + family->address_size, family->own, family->address_size);
        memcpy(entry + 3 * family->address_size, family->own_mask, family->address_size);
        memcpy(entry + 4 * family->address_size + INTERFACES, &protocol, sizeof protocol);
        entry[family->flags] = family->flag_values;
        entry[family->inverted] = INVERT_DESTINATION;
    }
    memcpy(entry + family->entry_end + TARGET_OFFSET, &target_offset, sizeof target_offset);
    memcpy(entry + family->entry_end + NEXT_OFFSET, &next_offset, sizeof next_offset);
    memcpy(entry + family->entry_size, target, size);
    table->size += next_offset;
    table->entry_count++;
    return at;
}

static uint32_t append_redirection(struct table *table, const struct family *family, uint16_t port) {
    struct redirection4 four = {
        .target = {.size = sizeof four, .name = "REDIRECT"}, .count = 1, .flags = PROTO_SPECIFIED, .first_port = htons(port), .last_port = htons(port),
    };
    struct redirection6 six = {
        .target = {.size = sizeof six, .name = "REDIRECT"}, .flags = PROTO_SPECIFIED, .first_port = htons(port), .last_port = htons(port),
    };
    if (family == &version4) return append(table, family, true, &four, sizeof four);
    return append(table, family, true, &six, sizeof six);
}

static bool replace(const struct family *family, const struct table *table) {
    int fd = socket(family->domain, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    if (fd < 0) return false;
    bool done = setsockopt(fd, family->level, SO_SET_REPLACE, table, (socklen_t) (offsetof(struct table, entries) + table->size)) == 0;
    int error = errno;
    close(fd);
    errno = error;
    return done;
}

static bool translate(const struct family *family, uint16_t port) {
    uint64_t counters[2 * 8] = {0};
    struct table table = {
        .name = "nat",
        .valid_hooks = 1 << PRE_ROUTING | 1 << LOCAL_IN | 1 << LOCAL_OUT | 1 << POST_ROUTING,
        .counter_count = HOOKS,
        .counters = counters,
    };
    struct verdict accept = {.target = {.size = sizeof accept}, .verdict = ACCEPT};
    struct last last = {.target = {.size = sizeof last, .name = "ERROR"}, .error = "ERROR"};
    for (int hook = 0; hook < HOOKS; hook++) {
        if (!(table.valid_hooks & 1u << hook)) continue;
        table.hook_entry[hook] = table.size;
        if (hook == LOCAL_OUT) append_redirection(&table, family, port);
        table.underflow[hook] = append(&table, family, false, &accept, sizeof accept);
    }
    append(&table, family, false, &last, sizeof last);
    return replace(family, &table);
}

// A route to the address's network comes with it.
static bool add_address(const struct family *family, const uint8_t *address, uint8_t prefix) {
    struct address_request request = {
        .type = RTM_NEWADDR, .flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE,
        .family = (uint8_t) family->domain, .prefix = prefix, .index = if_nametoindex("lo"),
        .attribute_length = (uint16_t) (4 + family->address_size), .attribute_type = IFA_LOCAL,
    };
    request.length = (uint32_t) (offsetof(struct address_request, address) + family->address_size);
    memcpy(request.address, address, family->address_size);
    struct address_answer answer = {0};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return false;
    ssize_t n = send(fd, &request, request.length, 0) == (ssize_t) request.length ? recv(fd, &answer, sizeof answer, 0) : -1;
    int error = errno;
    close(fd);
    if (n >= (ssize_t) offsetof(struct address_answer, request) && answer.type == NLMSG_ERROR) error = -answer.error;
    errno = error;
    return error == 0 || error == EEXIST;
}

bool redirect_install(uint16_t port) {
    // All that can be a host's address, 224.0.0.0 and above excepted. What is on loopback's networks is loopback's.
    static const uint8_t low[] = {1, 0, 0, 1}, middle[] = {128, 0, 0, 1}, high[] = {192, 0, 0, 1};
    return add_address(&version4, low, 1) && add_address(&version4, middle, 2) && add_address(&version4, high, 3) && translate(&version4, port);
}

bool redirect_install_version6(uint16_t port) {
    // Of the prefix that means nobody (RFC 6666); its network is said to be everything, so that everything has a route.
    static const uint8_t any[16] = {[0] = 1, [15] = 1};
    return add_address(&version6, any, 0) && translate(&version6, port);
}

bool redirect_target(int fd, union redirect_address *target) {
    union redirect_address local = {0};
    socklen_t size = sizeof *target, local_size = sizeof local;
    *target = (union redirect_address){0};
    if (getsockname(fd, &local.any, &local_size) != 0) return false;
    int level = local.any.sa_family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
    if (getsockopt(fd, level, SO_ORIGINAL_DST, target, &size) != 0) return false;
    if (level == IPPROTO_IP) return target->four.sin_addr.s_addr != local.four.sin_addr.s_addr || target->four.sin_port != local.four.sin_port;
    return memcmp(&target->six.sin6_addr, &local.six.sin6_addr, sizeof local.six.sin6_addr) != 0 || target->six.sin6_port != local.six.sin6_port;
}
