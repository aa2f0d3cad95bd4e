// The keeper: see ../KEEPER.md.
#define _GNU_SOURCE
#include <dirent.h>
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

#include "command.h"
#include "relay.h"

struct options {
    struct relay_paths paths;
    const char *pid_file;
    struct command command;
};

static _Noreturn void usage(const char *problem) {
    fprintf(stderr, "keeper: %s\nusage: keeper --socket PATH --exit-file PATH --log PATH [--pid-file PATH] [--cgroup DIR]... [--meminfo FILE] [--machine-pid FILE] -- COMMAND ARG...\n", problem);
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

static void parse(int argc, char **argv, struct options *options) {
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i += 2) {
        if (i + 1 >= argc) usage("an option lacks its value");
        const char *name = argv[i], *value = absolute(argv[i + 1]);
        if (strcmp(name, "--socket") == 0) options->paths.socket = value;
        else if (strcmp(name, "--exit-file") == 0) options->paths.exit_file = value;
        else if (strcmp(name, "--log") == 0) options->command.log = value;
        else if (strcmp(name, "--pid-file") == 0) options->pid_file = value;
        else if (strcmp(name, "--meminfo") == 0) options->command.meminfo = value;
        else if (strcmp(name, "--machine-pid") == 0) options->command.machine_pid = value;
        else if (strcmp(name, "--cgroup") == 0 && options->command.cgroup_count < MAX_CGROUPS) {
            options->command.cgroups[options->command.cgroup_count++] = value;
        } else usage(name);
    }
    if (i + 1 >= argc) usage("no command");
    if (options->paths.socket == NULL || options->paths.exit_file == NULL || options->command.log == NULL) usage("--socket, --exit-file and --log are needed");
    options->command.argv = argv + i + 1;
}

// The server may have left any of its descriptors open; none of them is the keeper's.
static void close_inherited(void) {
    DIR *dir = opendir("/proc/self/fd");
    if (dir == NULL) return;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        int fd = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fd > 2 && fd != dirfd(dir)) close(fd);
    }
    closedir(dir);
}

static int fail(int report, const char *format, const char *what) {
    dprintf(report, format, what, strerror(errno));
    return -1;
}

// A socket's name holds 107 bytes, a data directory may be deeper: the name goes through a descriptor of the directory.
static int listen_at(const char *path, int report) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *copy = strdup(path), *copy2 = strdup(path);
    if (copy == NULL || copy2 == NULL) return -1;
    int directory = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return fail(report, "keeper: directory of %s: %s\n", path);
    int length = snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", directory, basename(copy2));
    if (length >= (int) sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return fail(report, "keeper: %s: %s\n", path);
    }
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe >= 0 && connect(probe, (struct sockaddr *) &address, sizeof address) == 0) {
        errno = EADDRINUSE;
        return fail(report, "keeper: %s: %s\n", path);
    }
    close(probe);
    unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t mask = umask(0177);
    if (listener < 0 || bind(listener, (struct sockaddr *) &address, sizeof address) != 0 || listen(listener, 8) != 0) {
        return fail(report, "keeper: %s: %s\n", path);
    }
    umask(mask);
    close(directory);
    free(copy);
    free(copy2);
    return listener;
}

static int write_pid_file(const char *path, int report) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || dprintf(fd, "%d\n", (int) getpid()) < 0) return fail(report, "keeper: %s: %s\n", path);
    return close(fd);
}

static int block_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_SETMASK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    // Inherited as ignored it would make the command's end invisible.
    signal(SIGCHLD, SIG_DFL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Runs in the background; `report` tells the foreground process "+" or what went wrong.
static int keep(struct options *options, int report) {
    setsid();
    prctl(PR_SET_NAME, "atoll-keeper");
    // A machine that was made by a command which has ended is to be the keeper's child.
    if (options->command.machine_pid != NULL) prctl(PR_SET_CHILD_SUBREAPER, 1);
    int signals = block_signals();
    if (signals < 0 || chdir("/") != 0) return fail(report, "keeper: %s: %s\n", "setup");
    unlink(options->paths.exit_file);
    int listener = listen_at(options->paths.socket, report);
    if (listener < 0) return 1;
    if (options->pid_file != NULL && write_pid_file(options->pid_file, report) != 0) {
        unlink(options->paths.socket);
        return 1;
    }
    char message[300];
    if (!command_start(&options->command, message, sizeof message)) {
        dprintf(report, "keeper: %s\n", message);
        unlink(options->paths.socket);
        return 1;
    }
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && null >= 0; fd++) dup2(null, fd);
    if (null > 2) close(null);
    if (write(report, "+", 1) != 1) return 1;
    close(report);
    relay_run(&options->command, listener, signals, &options->paths);
    unlink(options->paths.socket);
    return 0;
}

int main(int argc, char **argv) {
    struct options options = {0};
    parse(argc, argv, &options);
    close_inherited();
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0) usage("no pipe");
    pid_t pid = fork();
    if (pid < 0) usage("no process");
    if (pid == 0) {
        close(report[0]);
        return keep(&options, report[1]);
    }
    close(report[1]);
    char text[512];
    ssize_t n = read(report[0], text, sizeof text);
    if (n == 1 && text[0] == '+') return 0;
    if (n > 0 && write(2, text, (size_t) n) < 0) return 1;
    waitpid(pid, NULL, 0);
    return 1;
}
