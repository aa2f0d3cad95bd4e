#define _GNU_SOURCE
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "failure.h"
#include "resource_limits.h"
#include "log.h"
#include "user.h"

extern char **environ;

static char **thaw_env;
static size_t thaw_env_count;

static char *pair_of(const Variable *variable) {
    size_t size = strlen(variable->name) + strlen(variable->value) + 2;
    char *pair = malloc(size);
    if (pair == NULL) die(EXIT_INTERNAL, "out of memory for the environment");
    snprintf(pair, size, "%s=%s", variable->name, variable->value);
    return pair;
}

void target_set_thaw_env(Variable *const *env, size_t count) {
    for (size_t i = 0; i < thaw_env_count; i++) free(thaw_env[i]);
    free(thaw_env);
    thaw_env = calloc(count + 1, sizeof *thaw_env);
    if (thaw_env == NULL) die(EXIT_INTERNAL, "out of memory for the environment");
    thaw_env_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (env[i]->name[0] != 0 && strchr(env[i]->name, '=') == NULL) thaw_env[thaw_env_count++] = pair_of(env[i]);
    }
}

size_t target_thaw_env(char *const **pairs) {
    *pairs = thaw_env;
    return thaw_env_count;
}

void target_take_thaw_env(char *pairs, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += pairs[i] == 0;
    thaw_env = calloc(count + 1, sizeof *thaw_env);
    if (thaw_env == NULL) _exit(126);
    thaw_env_count = 0;
    for (char *at = pairs; at < pairs + length; at += strlen(at) + 1) thaw_env[thaw_env_count++] = at;
}

static _Noreturn void fail(int fd, int reason, const char *format, ...) {
    struct report report = {.type = REPORT_FAILED, .value = reason};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report.message, sizeof report.message, format, arguments);
    va_end(arguments);
    if (write(fd, &report, sizeof report) < 0) _exit(126);
    _exit(127);
}

static void set(const char *name, const char *value, int failure_fd) {
    if (setenv(name, value, 1) != 0) fail(failure_fd, FAILED(IO), "the environment: %s", strerror(errno));
}

static void put(char *pair, int failure_fd) {
    if (putenv(pair) != 0) fail(failure_fd, FAILED(IO), "the environment: %s", strerror(errno));
}

static void set_environment(const struct launch *launch, const struct user *user, int failure_fd) {
    environ = calloc(1, sizeof *environ);
    if (environ == NULL) fail(failure_fd, FAILED(IO), "no memory for the environment");
    set("PATH", config.path, failure_fd);
    set("HOME", user->home, failure_fd);
    set("USER", user->name, failure_fd);
    set("LOGNAME", user->name, failure_fd);
    set("SHELL", user->shell, failure_fd);
    set("LANG", "C.UTF-8", failure_fd);
    if (launch->terminal) set("TERM", "xterm-256color", failure_fd);
    for (int i = 0; i < config.env_count; i++) put(config.env[i], failure_fd);
    for (size_t i = 0; i < thaw_env_count; i++) put(thaw_env[i], failure_fd);
    for (size_t i = 0; i < launch->env_count; i++) {
        const Variable *variable = launch->env[i];
        if (variable->name[0] != 0 && strchr(variable->name, '=') == NULL) set(variable->name, variable->value, failure_fd);
    }
}

static void set_descriptors(const struct launch *launch, int *failure_fd) {
    enum { ABOVE = 16 };
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) fail(*failure_fd, FAILED(IO), "/dev/null: %s", strerror(errno));
    int fds[5] = {launch->in, launch->out, launch->err, launch->control_in, launch->control_out};
    int failure = fcntl(*failure_fd, F_DUPFD_CLOEXEC, ABOVE);
    if (failure < 0) fail(*failure_fd, FAILED(TOO_MANY), "descriptors: %s", strerror(errno));
    *failure_fd = failure;
    for (int i = 0; i < 5; i++) {
        if (i >= 3 && fds[i] < 0) continue;
        // Every source lies above the places to be filled, so that none is overwritten before it is used.
        fds[i] = fcntl(fds[i] >= 0 ? fds[i] : null, F_DUPFD_CLOEXEC, ABOVE);
        if (fds[i] < 0) fail(failure, FAILED(TOO_MANY), "descriptors: %s", strerror(errno));
    }
    for (int i = 0; i < 5; i++) {
        if (fds[i] >= 0 && dup2(fds[i], i) < 0) fail(failure, FAILED(TOO_MANY), "descriptors: %s", strerror(errno));
    }
    if (launch->terminal && ioctl(0, TIOCSCTTY, 0) != 0) fail(failure, FAILED(IO), "terminal: %s", strerror(errno));
}

static void enter_directory(const struct launch *launch, const struct user *user, int failure_fd) {
    if (launch->cwd[0] == 0) {
        if (config.directory != NULL && chdir(config.directory) == 0) return;
        if (chdir(user->home) != 0 && chdir("/") != 0) fail(failure_fd, FAILED(IO), "/: %s", strerror(errno));
        return;
    }
    if (launch->cwd[0] != '/' && chdir(user->home) != 0) fail(failure_fd, failure_reason(errno), "home %s: %s", user->home, strerror(errno));
    if (chdir(launch->cwd) != 0) fail(failure_fd, failure_reason(errno), "working directory %s: %s", launch->cwd, strerror(errno));
}

void target_prepare(const struct launch *launch, struct user *user, int failure_fd) {
    if (!user_find(launch->user, user)) fail(failure_fd, FAILED(NO_SUCH_USER), "no user \"%s\"", launch->user);
    if (user->uid == 0 && getuid() == 0 && !config.allow_root && default_uid != 0) {
        fail(failure_fd, FAILED(PERMISSION_DENIED), "this template does not allow root");
    }
    set_environment(launch, user, failure_fd);
}

static void take_rights(const struct launch *launch, const struct user *user, int failure_fd) {
    const char *unset = limits_apply_to_self();
    if (unset != NULL) fail(failure_fd, FAILED(IO), "the limit of %s cannot be set: %s", unset, strerror(errno));
    if (!user_become(user)) fail(failure_fd, FAILED(PERMISSION_DENIED), "becoming %s: %s", user->name, strerror(errno));
    // With sudo allowed, set-uid programs must work; within bounds nothing may get out of them.
    bool may_gain = user->uid == 0 || (config.allow_root && launch->bounds == NULL);
    if (!may_gain && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        fail(failure_fd, FAILED(IO), "privileges cannot be given up: %s", strerror(errno));
    }
}

void target_exec(const struct launch *launch, const struct user *user, int failure_fd) {
    // A terminal wants a leader of a session. All else stays in its supervisor's, so that its group has a parent there: gVisor hangs up on a group without
    // one whenever a process of it ends while another one is stopped.
    if ((launch->terminal ? setsid() : setpgid(0, 0)) < 0) fail(failure_fd, FAILED(IO), "a session: %s", strerror(errno));
    // Needs CAP_CHOWN: the terminal belongs to whoever runs in it, so that programs can reopen it.
    if (launch->terminal && fchown(launch->in, user->uid, (gid_t) -1) != 0) fail(failure_fd, FAILED(IO), "terminal: %s", strerror(errno));
    set_descriptors(launch, &failure_fd);
    take_rights(launch, user, failure_fd);
    umask(022);
    enter_directory(launch, user, failure_fd);
    // Signals that libc keeps to itself cannot be set; they have never been changed.
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) fail(failure_fd, FAILED(IO), "signals: %s", strerror(errno));
    execvp(launch->argv[0], launch->argv);
    int reason = errno == ENOENT || errno == ENOTDIR ? FAILED(NOT_FOUND)
        : errno == EACCES || errno == ENOEXEC || errno == EISDIR ? FAILED(NOT_EXECUTABLE) : failure_reason(errno);
    fail(failure_fd, reason, "%s: %s", launch->argv[0], strerror(errno));
}
