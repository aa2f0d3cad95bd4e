#define _GNU_SOURCE
#include "network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "connection.h"
#include "datagrams.h"
#include "dns.h"
#include "log.h"
#include "name_table.h"
#include "ports.h"
#include "proxy.h"
#include "redirect.h"
#include "stream.h"

enum { BACKLOG = 1024, ACCEPTS_AT_ONCE = 16 };

struct listener {
    struct source source;
    ino_t inode;
    // Direct: what the program believes to be connected to.
    uint16_t port, bound;
};

static struct listener proxy = {.source.fd = -1}, redirected = {.source.fd = -1}, redirected6 = {.source.fd = -1};
static struct listener direct[MAX_DIRECT];
static int direct_count;
static bool started;

static void reset(int fd) {
    struct linger now = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(fd);
}

static void accept_direct(int fd, uint32_t address, uint16_t port) {
    struct known_name *known = name_table_holds(address) ? name_table_find(address) : NULL;
    bool loopback = address >> 24 == IN_LOOPBACKNET;
    if (known == NULL && loopback) {
        // As if nothing listened here.
        reset(fd);
        return;
    }
    struct connection *connection = connection_new(fd, CONNECTION_ASKED, WAY(DIRECT), port);
    char text[INET_ADDRSTRLEN];
    struct in_addr target = {.s_addr = htonl(address)};
    const char *host = inet_ntop(AF_INET, &target, text, sizeof text);
    if (known != NULL) {
        connection->name = known;
        known->users++;
        host = known->name;
    }
    connection_ask(connection, host, port, WAY(DIRECT));
}

static void accept_redirected(int fd) {
    union redirect_address target;
    if (!redirect_target(fd, &target)) {
        reset(fd);
    } else if (target.any.sa_family == AF_INET6) {
        char text[INET6_ADDRSTRLEN];
        uint16_t port = ntohs(target.six.sin6_port);
        const char *host = inet_ntop(AF_INET6, &target.six.sin6_addr, text, sizeof text);
        connection_ask(connection_new(fd, CONNECTION_ASKED, WAY(DIRECT), port), host, port, WAY(DIRECT));
    } else {
        accept_direct(fd, ntohl(target.four.sin_addr.s_addr), ntohs(target.four.sin_port));
    }
}

#ifdef ATOLL_FUZZING
void network_accept_direct(int fd, uint32_t address, uint16_t port) {
    accept_direct(fd, address, port);
}
#endif

// Each new connection costs a frame sooner or later, so none is taken while the host does not keep up.
static bool may_accept(void) {
    return connection_egress_count() < MAX_EGRESS && stream_has_room();
}

static void accept_ready(struct source *source, uint32_t events) {
    (void) events;
    struct listener *listener = source->owner;
    for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
        int fd = may_accept() ? accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;
        if (fd < 0) {
            // Not even a descriptor is left, or nothing more may be taken: the end of a connection makes room.
            if (!may_accept() || (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)) source_disarm(source);
            return;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        struct sockaddr_in local = {0};
        socklen_t size = sizeof local;
        getsockname(fd, (struct sockaddr *) &local, &size);
        if (listener == &proxy) proxy_begin(fd);
        else if (listener == &redirected || listener == &redirected6) accept_redirected(fd);
        else accept_direct(fd, ntohl(local.sin_addr.s_addr), listener->port);
    }
}

// With reuse, a program may bind a more particular address of the same port, and gets what comes for that.
static void listen_at(struct listener *listener, const struct sockaddr *local, socklen_t size, uint16_t port, const char *what) {
    int fd = socket(local->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct stat stat;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (fd < 0 || bind(fd, local, size) != 0 || listen(fd, BACKLOG) != 0 || fstat(fd, &stat) != 0) {
        log_line("going on without %s on port %u: %s", what, port, strerror(errno));
        if (fd >= 0) close(fd);
        fd = -1;
    }
    listener->bound = port;
    listener->inode = fd >= 0 ? stat.st_ino : 0;
    source_init(&listener->source, fd, EPOLLIN, accept_ready, listener);
}

static void listen_on(struct listener *listener, uint32_t address, uint16_t port, const char *what) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
    listen_at(listener, (struct sockaddr *) &local, sizeof local, port, what);
}

static bool redirect_all(void) {
    if (config.redirect_port == 0) return false;
    bool done = redirect_install(config.redirect_port);
    if (!done) log_line("not all addresses lead to the agent: %s", strerror(errno));
    return done;
}

// Without it, IPv6 addresses lead nowhere.
static bool redirect_version6(void) {
    bool done = redirect_install_version6(config.redirect_port);
    if (!done) log_line("IPv6 addresses do not lead to the agent: %s", strerror(errno));
    return done;
}

void network_open(void) {
    if (config.proxy_port != 0) listen_on(&proxy, INADDR_LOOPBACK, config.proxy_port, "the proxy");
    if (redirect_all()) {
        listen_on(&redirected, INADDR_LOOPBACK, config.redirect_port, "direct connections");
        struct sockaddr_in6 local = {.sin6_family = AF_INET6, .sin6_port = htons(config.redirect_port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
        if (!datagrams_open()) log_line("going on without sight of datagrams: %s", strerror(errno));
        if (redirect_version6()) {
            listen_at(&redirected6, (struct sockaddr *) &local, sizeof local, config.redirect_port, "direct IPv6 connections");
            if (!datagrams_open_version6()) log_line("going on without sight of IPv6 datagrams: %s", strerror(errno));
        }
    } else {
        for (int i = 0; i < config.direct_count; i++) {
            struct listener *listener = &direct[direct_count++];
            listener->port = config.direct[i].port;
            listen_on(listener, INADDR_ANY, config.direct[i].bound, "direct connections");
        }
    }
    dns_open();
}

void network_start(void) {
    started = true;
    network_made_room();
    dns_start();
    datagrams_start();
}

bool network_has_proxy(void) {
    return proxy.source.fd >= 0;
}

bool network_is_own_socket(ino_t inode) {
    if (inode == proxy.inode || inode == redirected.inode || inode == redirected6.inode || dns_is_own_socket(inode)) return true;
    for (int i = 0; i < direct_count; i++) {
        if (inode == direct[i].inode) return true;
    }
    return false;
}

bool network_is_own_port(uint16_t port) {
    bool own = (proxy.source.fd >= 0 && port == proxy.bound) || (redirected.source.fd >= 0 && port == redirected.bound);
    for (int i = 0; i < direct_count; i++) own |= direct[i].source.fd >= 0 && port == direct[i].bound;
    return own && !ports_is_taken(port);
}

void network_made_room(void) {
    if (!started) return;
    source_arm(&proxy.source);
    source_arm(&redirected.source);
    source_arm(&redirected6.source);
    for (int i = 0; i < direct_count; i++) source_arm(&direct[i].source);
}

void network_resume(void) {
    network_made_room();
    dns_resume();
    connection_each(connection_resume);
}

static int sooner(int one, int other) {
    return one < 0 || (other >= 0 && other < one) ? other : one;
}

int network_timeout(void) {
    return sooner(sooner(connection_timeout(), dns_timeout()), datagrams_timeout());
}

void network_tick(void) {
    connection_tick();
    dns_tick();
    datagrams_tick();
}

void network_forget(void) {
    connection_each(connection_drop);
    dns_forget();
    if (redirected.source.fd >= 0) redirect_all();
    if (redirected6.source.fd >= 0) redirect_version6();
}

void network_ask_again(void) {
    dns_ask_again();
}
