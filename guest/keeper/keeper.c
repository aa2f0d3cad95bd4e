// The keeper: see ../KEEPER.md.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../jailer/failure.h"
#include "../jailer/kernel.h"
#include "log.h"
#include "machine.h"
#include "relay.h"
#include "seal.h"

// Of a machine's ids the last one is the keeper's: it is not mapped into the machine's world, and owns nothing.
enum { MACHINE_IDS = 65535 };

// Statuses of a process in the background that failed: before there was a socket of its own, and after.
enum { EARLY = 1, LISTENED };

struct options {
    const char *socket, *exit_file, *log, *pid_file, *root;
    struct machine machine;
};

static _Noreturn void usage(const char *problem) {
    fprintf(stderr,
            "keeper: %s\nusage: keeper --socket PATH --exit-file PATH --log PATH [--pid-file PATH] [--machine-pid FILE] [--keeper-root DIR] [OPTION of the jailer]... -- COMMAND ARG...\n", problem);
    exit(64);
}

// The keeper lives in /, so that it holds no directory; the server may name files relative to where it is.
static const char *absolute(const char *path) {
    char here[4096];
    if (path[0] == '/') return path;
    char *result = malloc(strlen(path) + sizeof here + 2);
    if (getcwd(here, sizeof here) == NULL || result == NULL) usage("no working directory");
    sprintf(result, "%s/%s", here, path);
    return result;
}

static int take_option(struct options *options, int count, char **arguments) {
    if (count < 2) return 0;
    const char *name = arguments[0];
    if (strcmp(name, "--socket") == 0) options->socket = absolute(arguments[1]);
    else if (strcmp(name, "--exit-file") == 0) options->exit_file = absolute(arguments[1]);
    else if (strcmp(name, "--log") == 0) options->log = absolute(arguments[1]);
    else if (strcmp(name, "--pid-file") == 0) options->pid_file = absolute(arguments[1]);
    else if (strcmp(name, "--machine-pid") == 0) options->machine.pid_file = absolute(arguments[1]);
    else if (strcmp(name, "--keeper-root") == 0) options->root = arguments[1];
    else return 0;
    return 2;
}

static void parse(int argc, char **argv, struct options *options) {
    int i = 1;
    while (i < argc && strcmp(argv[i], "--") != 0) {
        int taken = take_option(options, argc - i, argv + i);
        if (taken == 0) taken = world_option(&options->machine.world, argc - i, argv + i);
        if (taken == 0) usage(argv[i]);
        i += taken;
    }
    if (i + 1 >= argc) usage("no command");
    if (options->socket == NULL || options->exit_file == NULL || options->log == NULL) usage("--socket, --exit-file and --log are needed");
    // Without a root of its own the keeper would see the machine's.
    if ((options->machine.world.base != 0) != (options->root != NULL)) usage("--uid-base and --keeper-root need each other");
    options->machine.world.ids = MACHINE_IDS;
    options->machine.command = argv + i + 1;
}

static int failed(int report, const char *format, const char *what) {
    dprintf(report, format, what, strerror(errno));
    return -1;
}

// A socket's name holds 107 bytes, a data directory may be deeper: the name goes through a descriptor of the directory.
static int listen_at(const char *path, int report) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *copy = strdup(path), *copy2 = strdup(path);
    if (copy == NULL || copy2 == NULL) return -1;
    int directory = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return failed(report, "keeper: directory of %s: %s\n", path);
    int length = snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory, basename(copy2));
    if (length >= (int) sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return failed(report, "keeper: %s: %s\n", path);
    }
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe >= 0 && connect(probe, (struct sockaddr *) &address, sizeof address) == 0) {
        errno = EADDRINUSE;
        return failed(report, "keeper: %s: %s\n", path);
    }
    close(probe);
    unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0177);
    if (listener < 0 || bind(listener, (struct sockaddr *) &address, sizeof address) != 0 || listen(listener, 8) != 0) {
        return failed(report, "keeper: %s: %s\n", path);
    }
    umask(mask);
    close(directory);
    free(copy);
    free(copy2);
    return listener;
}

static int write_pid_file(const char *path, int report) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 || dprintf(fd, "%d\n", (int) getpid()) < 0) return failed(report, "keeper: %s: %s\n", path);
    return close(fd);
}

static int open_file(const char *path, int flags, int report) {
    int fd = open(path, flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd < 0 ? failed(report, "keeper: %s: %s\n", path) : fd;
}

static int block_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    // SIGCHLD inherited as ignored would make the machine's end invisible.
    if (sigprocmask(SIG_SETMASK, &set, NULL) != 0 || signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGHUP, SIG_IGN) == SIG_ERR || signal(SIGINT, SIG_IGN) == SIG_ERR
        || signal(SIGCHLD, SIG_DFL) == SIG_ERR) {
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// What the machine said before it failed.
static void drain(int from) {
    char bytes[4096];
    ssize_t n;
    while (from > 0 && (n = read(from, bytes, sizeof bytes)) > 0) log_add(bytes, (size_t) n, 0);
}

// Runs in the background; `report` tells the foreground process "+" or what went wrong.
static int keep(struct options *options, int report) {
    char message[400];
    struct relay relay = {.machine = &options->machine, .owner = geteuid()};
    uid_t base = options->machine.world.base;
    failure_descriptor = report;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (setsid() < 0 || prctl(PR_SET_NAME, "atoll-keeper") != 0 || null < 0 || (relay.signals = block_signals()) < 0 || chdir("/") != 0) {
        return failed(report, "keeper: %s: %s\n", "setup"), EARLY;
    }
    int log = open_file(options->log, O_RDWR, report);
    relay.exit_file = open_file(options->exit_file, O_WRONLY | O_TRUNC, report);
    relay.listener = log < 0 || relay.exit_file < 0 ? -1 : listen_at(options->socket, report);
    if (relay.listener < 0) return EARLY;
    log_open(log);
    if (options->pid_file != NULL && write_pid_file(options->pid_file, report) != 0) return LISTENED;
    if (!machine_start(&options->machine, message, sizeof message)) {
        drain(options->machine.log);
        dprintf(report, "keeper: %s\n", message);
        return LISTENED;
    }
    // From here on bytes of the guest are read: without privileges, and with nothing of the host in sight.
    if (dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0 || !seal(base == 0 ? 0 : base + MACHINE_IDS, options->root)) {
        return failed(report, "keeper: %s: %s\n", "giving privileges up"), LISTENED;
    }
    if (write(report, "+", 1) != 1) return LISTENED;
    close(report);
    close(null);
    relay_run(&relay);
    return 0;
}

int main(int argc, char **argv) {
    static struct options options;
    int report[2];
    // The server may have left any of its descriptors open; none of them is the keeper's.
    if (close_range_from(3) != 0) usage("cannot close what was inherited");
    parse(argc, argv, &options);
    if (pipe2(report, O_CLOEXEC) != 0) usage("no pipe");
    pid_t pid = fork();
    if (pid < 0) usage("no process");
    if (pid == 0) {
        close(report[0]);
        // Not exit: behind the filter there is nothing more to do.
        _exit(keep(&options, report[1]));
    }
    close(report[1]);
    char text[512];
    ssize_t n = read(report[0], text, sizeof text);
    if (n == 1 && text[0] == '+') return 0;
    if (n > 0 && write(2, text, (size_t) n) < 0) return 1;
    int status;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    if (!WIFEXITED(status) || WEXITSTATUS(status) != EARLY) unlink(options.socket);
    return 1;
}
