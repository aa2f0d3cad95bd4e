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

// What Linux has in linux/netlink.h, linux/rtnetlink.h and linux/netfilter_ipv4/ip_tables.h, which musl comes without.

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
    uint32_t address;
};

struct address_answer {
    uint32_t length;
    uint16_t type, flags;
    uint32_t sequence, pid;
    int32_t error;
    char request[256];
};

enum { IPT_SO_SET_REPLACE = 64, SO_ORIGINAL_DST = 80, INVERT_DESTINATION = 0x10, ACCEPT = -2, PROTO_SPECIFIED = 2 };
enum { PRE_ROUTING, LOCAL_IN, FORWARD, LOCAL_OUT, POST_ROUTING, HOOKS };

struct entry {
    uint32_t source, destination, source_mask, destination_mask;
    char in_interface[16], out_interface[16], in_mask[16], out_mask[16];
    uint16_t protocol;
    uint8_t flags, inverted;
    uint32_t cache;
    uint16_t target_offset, next_offset;
    uint32_t came_from;
    uint64_t packets, bytes;
};

struct target {
    uint16_t size;
    char name[29];
    uint8_t revision;
};

struct policy {
    struct entry entry;
    struct target target;
    int32_t verdict, padding;
};

struct redirection {
    struct entry entry;
    struct target target;
    uint32_t count, flags, first_address, last_address;
    uint16_t first_port, last_port;
    uint32_t padding;
};

struct last {
    struct entry entry;
    struct target target;
    char error[32];
};

struct table {
    char name[32];
    uint32_t valid_hooks, entry_count, size, hook_entry[HOOKS], underflow[HOOKS], counter_count;
    void *counters;
    struct policy pre_routing, in;
    struct redirection redirection;
    struct policy out, post_routing;
    struct last last;
};

_Static_assert(sizeof(struct entry) == 112 && sizeof(struct target) == 32 && sizeof(struct policy) == 152, "as in ip_tables.h");
_Static_assert(sizeof(struct redirection) == 168 && offsetof(struct table, pre_routing) == 96, "as in ip_tables.h");

static struct policy accepting(void) {
    return (struct policy){
        .entry = {.target_offset = sizeof(struct entry), .next_offset = sizeof(struct policy)},
        .target = {.size = sizeof(struct policy) - sizeof(struct entry)},
        .verdict = ACCEPT,
    };
}

static uint32_t place(size_t offset) {
    return (uint32_t) (offset - offsetof(struct table, pre_routing));
}

static bool translate(uint16_t port) {
    uint64_t counters[2 * 8] = {0};
    struct table table = {
        .name = "nat",
        .valid_hooks = 1 << PRE_ROUTING | 1 << LOCAL_IN | 1 << LOCAL_OUT | 1 << POST_ROUTING,
        .entry_count = 6,
        .size = place(sizeof(struct table)),
        .counter_count = 5,
        .counters = counters,
        .pre_routing = accepting(),
        .in = accepting(),
        .redirection = {
            .entry = {
                .destination = htonl(0x7f000000), .destination_mask = htonl(0xffc00000), .inverted = INVERT_DESTINATION, .protocol = IPPROTO_TCP,
                .target_offset = sizeof(struct entry), .next_offset = sizeof(struct redirection),
            },
            .target = {.size = sizeof(struct redirection) - sizeof(struct entry), .name = "REDIRECT"},
            .count = 1, .flags = PROTO_SPECIFIED, .first_port = htons(port), .last_port = htons(port),
        },
        .out = accepting(),
        .post_routing = accepting(),
        .last = {
            .entry = {.target_offset = sizeof(struct entry), .next_offset = sizeof(struct last)},
            .target = {.size = sizeof(struct last) - sizeof(struct entry), .name = "ERROR"},
            .error = "ERROR",
        },
    };
    table.hook_entry[PRE_ROUTING] = table.underflow[PRE_ROUTING] = place(offsetof(struct table, pre_routing));
    table.hook_entry[LOCAL_IN] = table.underflow[LOCAL_IN] = place(offsetof(struct table, in));
    table.hook_entry[LOCAL_OUT] = place(offsetof(struct table, redirection));
    table.underflow[LOCAL_OUT] = place(offsetof(struct table, out));
    table.hook_entry[POST_ROUTING] = table.underflow[POST_ROUTING] = place(offsetof(struct table, post_routing));
    int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_RAW);
    if (fd < 0) return false;
    bool done = setsockopt(fd, IPPROTO_IP, IPT_SO_SET_REPLACE, &table, sizeof table) == 0;
    int error = errno;
    close(fd);
    errno = error;
    return done;
}

static bool add_address(uint32_t address, uint8_t prefix) {
    struct address_request request = {
        .length = sizeof request, .type = RTM_NEWADDR, .flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE,
        .family = AF_INET, .prefix = prefix, .index = if_nametoindex("lo"),
        .attribute_length = 8, .attribute_type = IFA_LOCAL, .address = htonl(address),
    };
    struct address_answer answer = {0};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return false;
    ssize_t n = send(fd, &request, sizeof request, 0) == sizeof request ? recv(fd, &answer, sizeof answer, 0) : -1;
    int error = errno;
    close(fd);
    if (n >= (ssize_t) offsetof(struct address_answer, request) && answer.type == NLMSG_ERROR) error = -answer.error;
    errno = error;
    return error == 0 || error == EEXIST;
}

bool redirect_install(uint16_t port) {
    // All that can be a host's address, 224.0.0.0 and above excepted. What is on loopback's networks is loopback's.
    return add_address(0x01000001, 1) && add_address(0x80000001, 2) && add_address(0xc0000001, 3) && translate(port);
}

bool redirect_target(int fd, uint32_t *address, uint16_t *port) {
    struct sockaddr_in target = {0}, local = {0};
    socklen_t size = sizeof target, local_size = sizeof local;
    if (getsockopt(fd, IPPROTO_IP, SO_ORIGINAL_DST, &target, &size) != 0 || getsockname(fd, (struct sockaddr *) &local, &local_size) != 0) return false;
    *address = ntohl(target.sin_addr.s_addr);
    *port = ntohs(target.sin_port);
    return target.sin_addr.s_addr != local.sin_addr.s_addr || target.sin_port != local.sin_port;
}
