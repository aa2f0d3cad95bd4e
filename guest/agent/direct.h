// The system calls of every round trip, in the one form that gVisor's systrap can replace by a jump: the number is loaded right before the
// `syscall` instruction. libc's own wrappers load it elsewhere, so that each of their calls costs a signal: 4 to 15 us instead of 1.
#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(ATOLL_FUZZING)
#include <sys/syscall.h>

// A macro, because the number has to be an immediate.
#define DIRECT(number, a, b, c, d) ({ \
    long direct_result; \
    register long direct_d __asm__("r10") = (long) (d); \
    __asm__ volatile("movl %1, %%eax\n\tsyscall" \
        : "=&a"(direct_result) : "i"(number), "D"((long) (a)), "S"((long) (b)), "d"((long) (c)), "r"(direct_d) : "rcx", "r11", "memory"); \
    direct_result; \
})

static inline long direct_checked(long result) {
    if (result >= 0) return result;
    errno = (int) -result;
    return -1;
}

static inline ssize_t direct_read(int fd, void *bytes, size_t size) {
    return direct_checked(DIRECT(SYS_read, fd, bytes, size, 0));
}

static inline ssize_t direct_write(int fd, const void *bytes, size_t size) {
    return direct_checked(DIRECT(SYS_write, fd, bytes, size, 0));
}

static inline ssize_t direct_writev(int fd, const struct iovec *parts, int count) {
    return direct_checked(DIRECT(SYS_writev, fd, parts, count, 0));
}

static inline int direct_epoll_wait(int fd, struct epoll_event *events, int most, int timeout) {
    return (int) direct_checked(DIRECT(SYS_epoll_wait, fd, events, most, timeout));
}

// Through libc it took 4 us in a guest, as long as a call that is not patched.
static inline int direct_clock_gettime(clockid_t clock, struct timespec *now) {
    return (int) direct_checked(DIRECT(SYS_clock_gettime, clock, now, 0, 0));
}
#else
#define direct_read read
#define direct_write write
#define direct_writev writev
#define direct_epoll_wait epoll_wait
#define direct_clock_gettime clock_gettime
#endif
