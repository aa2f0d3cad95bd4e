// The sockets of the DNS server.
#define _GNU_SOURCE
#include "dns.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "config.h"
#include "dns_message.h"
#include "dns_question.h"
#include "dns_tcp.h"
#include "log.h"
#include "loop.h"
#include "stream.h"

enum { ADDRESS = 127 << 24 | 53, DATAGRAMS_AT_ONCE = 16 };

static struct source datagrams = {.fd = -1};

static void receive(struct source *source, uint32_t events) {
    (void) events;
    for (int i = 0; i < DATAGRAMS_AT_ONCE; i++) {
        // A question may cost a frame, so it waits in the socket while the host does not keep up.
        if (!stream_has_room()) {
            source_disarm(source);
            return;
        }
        uint8_t bytes[DNS_MOST + 1];
        struct asker asker = {0};
        socklen_t size = sizeof asker.from;
        ssize_t n = recvfrom(source->fd, bytes, sizeof bytes, 0, (struct sockaddr *) &asker.from, &size);
        if (n < 0) return;
        dns_question(&asker, bytes, (size_t) n);
    }
}

void dns_reply(const struct asker *asker, const uint8_t *bytes, size_t length) {
    if (asker->connection != NULL) {
        dns_tcp_answer(asker->connection, bytes, length);
    } else if (sendto(datagrams.fd, bytes, length, MSG_NOSIGNAL, (const struct sockaddr *) &asker->from, sizeof asker->from) < 0) {
        // As lost as any datagram: it will be asked again.
        return;
    }
}

void dns_open(void) {
    if (config.dns_port == 0) return;
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_port = htons(config.dns_port), .sin_addr.s_addr = htonl(ADDRESS)};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *) &local, sizeof local) != 0) {
        log_line("going on without DNS on port %u: %s", config.dns_port, strerror(errno));
        if (fd >= 0) close(fd);
        return;
    }
    source_init(&datagrams, fd, EPOLLIN, receive, NULL);
    dns_tcp_open(ADDRESS, config.dns_port);
}

void dns_start(void) {
    source_arm(&datagrams);
    dns_tcp_start();
}

void dns_resume(void) {
    source_arm(&datagrams);
}

bool dns_is_own_socket(ino_t inode) {
    return dns_tcp_is_own_socket(inode);
}
