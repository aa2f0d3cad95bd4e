#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "starter.h"

static int start_world(struct machine *machine) {
    return world_make(&machine->world, starter_run, machine);
}

static int start_plain(struct machine *machine) {
    world_open_groups(&machine->world);
    pid_t pid = fork();
    if (pid == 0) {
        world_join_groups(&machine->world);
        _exit(starter_run(machine));
    }
    return pid;
}

// Waits for the starter's word. A starter that dies without one has written its reason to standard error.
static bool await_made(struct machine *machine, char *reason, size_t size) {
    struct told told;
    ssize_t n;
    while ((n = recv(machine->control, &told, sizeof told, 0)) < 0 && errno == EINTR) {}
    if (n == sizeof told && told.kind == TOLD_MADE) {
        machine->pid = told.number;
        return true;
    }
    if (n == sizeof told) snprintf(reason, size, "%.*s", (int) sizeof told.reason, told.reason);
    else snprintf(reason, size, "the machine's first process ended");
    machine_kill(machine);
    while (waitpid(machine->starter, NULL, 0) < 0 && errno == EINTR) {}
    return false;
}

bool machine_start(struct machine *machine, char *reason, size_t size) {
    struct starter_ends ends;
    int in[2], out[2], log[2], control[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(log, O_CLOEXEC) != 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0
        || fcntl(in[1], F_SETFL, O_NONBLOCK) != 0 || fcntl(out[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(log[0], F_SETFL, O_NONBLOCK) != 0
        || (ends.nothing = open("/dev/null", O_RDWR | O_CLOEXEC)) < 0) {
        snprintf(reason, size, "pipes: %s", strerror(errno));
        return false;
    }
    ends.in = in[0];
    ends.out = out[1];
    ends.log = log[1];
    ends.control = control[1];
    starter_prepare(&ends, (int[]){in[1], out[0], log[0], control[0]});
    machine->starter = machine->world.base != 0 ? start_world(machine) : start_plain(machine);
    if (machine->starter < 0) {
        snprintf(reason, size, "fork: %s", strerror(errno));
        return false;
    }
    close(in[0]);
    close(out[1]);
    close(log[1]);
    close(control[1]);
    close(ends.nothing);
    machine->in = in[1];
    machine->out = out[0];
    machine->log = log[0];
    machine->control = control[0];
    return await_made(machine, reason, size);
}

bool machine_begin(struct machine *machine, const uint8_t *words, size_t length) {
    static bool begun;
    if (machine->pid_file == NULL || begun || length == 0 || length > MAX_BEGIN || words[length - 1] != 0) return false;
    begun = true;
    ssize_t n;
    while ((n = send(machine->control, words, length, MSG_NOSIGNAL)) < 0 && errno == EINTR) {}
    // A starter that takes nothing any more has ended, or is ended now: a machine that was not begun must not stay.
    if (n != (ssize_t) length) machine_kill(machine);
    return true;
}

void machine_kill(struct machine *machine) {
    shutdown(machine->control, SHUT_WR);
}
