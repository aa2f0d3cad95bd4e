// Lists the files of a guest, each record as `find -printf '/%P//%y %m %U %G %s %T@ %C@ %D %n//%l\0'` has it. The first record is "!DEVICE UID", with
// the device of files that nobody has touched, and the last "~STATUS". Records are in the order of their bytes, with flat memory: see compare().
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "tools.h"

struct names {
    char **list;
    size_t count, room;
};

static char path[PATH_MAX];
static size_t root_length;
static dev_t root_device;
static int status = TOOL_OK;

// What the kernel makes up, and Atoll's own.
static bool is_left_out(const char *inside) {
    static const char *const LEFT_OUT[] = {"/proc", "/sys", "/dev", "/opt/atoll"};
    for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++) {
        if (strcmp(inside, LEFT_OUT[i]) == 0) return true;
    }
    return false;
}

static char type_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFREG: return 'f';
        case S_IFDIR: return 'd';
        case S_IFLNK: return 'l';
        case S_IFIFO: return 'p';
        case S_IFSOCK: return 's';
        case S_IFBLK: return 'b';
        default: return 'c';
    }
}

static void print(const struct stat *stat) {
    char target[PATH_MAX + 1] = "";
    if (S_ISLNK(stat->st_mode)) {
        ssize_t length = readlink(path, target, PATH_MAX);
        if (length < 0) {
            status = TOOL_SOME_FAILED;
            return;
        }
        target[length] = 0;
    }
    const char *inside = path + root_length;
    printf("%s//%c %o %u %u %lld %lld.%09ld %lld.%09ld %llu %llu//%s", *inside == 0 ? "/" : inside, type_of(stat->st_mode), stat->st_mode & 07777,
            stat->st_uid, stat->st_gid, (long long) stat->st_size, (long long) stat->st_mtim.tv_sec, stat->st_mtim.tv_nsec,
            (long long) stat->st_ctim.tv_sec, stat->st_ctim.tv_nsec, (unsigned long long) stat->st_dev, (unsigned long long) stat->st_nlink, target);
    putchar(0);
}

// Every record below a name begins with that name and a slash. So sorting names as if each ended with one sorts the records, whole trees at a time; the
// folder's own record is that of the empty name among them.
static int compare(const void *left, const void *right) {
    const unsigned char *a = *(unsigned char *const *) left, *b = *(unsigned char *const *) right;
    while (*a != 0 && *a == *b) a++, b++;
    return (*a == 0 ? '/' : *a) - (*b == 0 ? '/' : *b);
}

static void add(struct names *names, const char *name) {
    if (names->count == names->room) {
        names->room = names->room * 2 + 16;
        names->list = realloc(names->list, names->room * sizeof *names->list);
        if (names->list == NULL) die(TOOL_FAILED, "no memory for the names of a folder");
    }
    if ((names->list[names->count++] = strdup(name)) == NULL) die(TOOL_FAILED, "no memory for a name");
}

static struct names names_of_folder(void) {
    struct names names = {0};
    add(&names, "");
    DIR *folder = opendir(*path == 0 ? "/" : path);
    if (folder == NULL) {
        status = TOOL_SOME_FAILED;
        return names;
    }
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) add(&names, entry->d_name);
    }
    closedir(folder);
    qsort(names.list, names.count, sizeof *names.list, compare);
    return names;
}

static void visit(size_t length);

static void visit_folder(size_t length, const struct stat *own) {
    struct names names = names_of_folder();
    for (size_t i = 0; i < names.count; i++) {
        size_t more = strlen(names.list[i]);
        if (more == 0) {
            print(own);
        } else if (length + 1 + more >= sizeof path) {
            status = TOOL_SOME_FAILED;
        } else {
            path[length] = '/';
            memcpy(path + length + 1, names.list[i], more + 1);
            visit(length + 1 + more);
            path[length] = 0;
        }
        free(names.list[i]);
    }
    free(names.list);
}

static void visit(size_t length) {
    struct stat stat;
    if (is_left_out(path + root_length)) return;
    if (lstat(*path == 0 ? "/" : path, &stat) != 0) {
        status = TOOL_SOME_FAILED;
    } else if (S_ISDIR(stat.st_mode) && stat.st_dev == root_device) {
        visit_folder(length, &stat);
    } else {
        print(&stat);
    }
}

static void print_device(void) {
    char agent[PATH_MAX];
    struct stat stat;
    int length = snprintf(agent, sizeof agent, "%s/opt/atoll/agent", path);
    putchar('!');
    if (length < (int) sizeof agent && lstat(agent, &stat) == 0) printf("%llu", (unsigned long long) stat.st_dev);
    printf(" %u", getuid());
    putchar(0);
}

int walk_tool(const char *root) {
    struct stat stat;
    root_length = strlen(root);
    while (root_length > 0 && root[root_length - 1] == '/') root_length--;
    if (root_length >= sizeof path || lstat(root, &stat) != 0) die(TOOL_FAILED, "%s: %s", root, strerror(errno));
    memcpy(path, root, root_length);
    root_device = stat.st_dev;
    print_device();
    visit(root_length);
    printf("~%d", status);
    putchar(0);
    if (fflush(stdout) != 0) die(TOOL_FAILED, "stdout: %s", strerror(errno));
    return TOOL_OK;
}
