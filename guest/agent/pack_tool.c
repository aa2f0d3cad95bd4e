// Packs files of a guest into a tar archive as POSIX has it. Names, times and large numbers that a header has no room for are in extended headers; files
// with several names are written once. Holes are written out: whoever reads the archive bounds it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "tools.h"

enum { BLOCK = 512, NAME_ROOM = 100, COPY = 1 << 16, MOST_ID = 07777777 };

static const long long MOST_SIZE = 077777777777LL;

struct header {
    char name[NAME_ROOM], mode[8], uid[8], gid[8], size[12], modified[12], sum[8], type, link[NAME_ROOM], magic[6], version[2], user[32], group[32],
            major[8], minor[8], prefix[155], padding[12];
};

_Static_assert(sizeof(struct header) == BLOCK, "a header is one block");

// A file with several names, and the first of them.
struct seen {
    dev_t device;
    ino_t number;
    char name[];
};

static void *seen_files;
static int status = TOOL_OK;
static char extended[4 * PATH_MAX];
static size_t extended_length;

static void put(const void *bytes, size_t length) {
    if (fwrite(bytes, 1, length, stdout) != length) die(TOOL_FAILED, "stdout: %s", strerror(errno));
}

static void pad(unsigned long long length) {
    static const char zeros[BLOCK];
    if (length % BLOCK != 0) put(zeros, BLOCK - length % BLOCK);
}

static void left_out(const char *name) {
    // What went away meanwhile is nothing to tell of.
    if (errno != ENOENT) log_line("%s: %s", name, strerror(errno));
    status = TOOL_SOME_FAILED;
}

// One record "LENGTH KEY=VALUE\n", whose length counts its own digits.
static void extend(const char *key, const char *value) {
    size_t rest = strlen(key) + strlen(value) + 3, length = rest, before;
    do {
        before = length;
        length = rest + (size_t) snprintf(NULL, 0, "%zu", length);
    } while (length != before);
    extended_length += (size_t) snprintf(extended + extended_length, sizeof extended - extended_length, "%zu %s=%s\n", length, key, value);
}

static void extend_number(const char *key, long long value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    extend(key, text);
}

static void put_header(struct header *header, char type, long long size) {
    unsigned sum = 0;
    header->type = type;
    snprintf(header->size, sizeof header->size, "%011llo", (unsigned long long) (size > MOST_SIZE ? 0 : size));
    memcpy(header->magic, "ustar", 6);
    memcpy(header->version, "00", 2);
    memset(header->sum, ' ', sizeof header->sum);
    for (size_t i = 0; i < sizeof *header; i++) sum += ((unsigned char *) header)[i];
    snprintf(header->sum, sizeof header->sum, "%06o", sum & 0777777);
    put(header, sizeof *header);
}

static void put_extended(void) {
    struct header header = {.name = "./PaxHeaders/entry", .mode = "0000644", .uid = "0000000", .gid = "0000000", .modified = "00000000000"};
    put_header(&header, 'x', (long long) extended_length);
    put(extended, extended_length);
    pad(extended_length);
}

static void fit(char *field, const char *text, const char *key) {
    size_t length = strlen(text);
    if (length > NAME_ROOM) extend(key, text);
    memcpy(field, text, length < NAME_ROOM ? length : NAME_ROOM);
}

static void put_entry(const char *name, const char *link, char type, const struct stat *stat, long long size) {
    struct header header = {0};
    char modified[48];
    long long seconds = stat->st_mtim.tv_sec;
    extended_length = 0;
    fit(header.name, name, "path");
    fit(header.link, link, "linkpath");
    // Times before 1970 count their fraction backwards from zero.
    long nanos = stat->st_mtim.tv_nsec;
    bool early = seconds < 0 && nanos > 0;
    snprintf(modified, sizeof modified, "%s%lld.%09ld", early && seconds == -1 ? "-" : "", early ? seconds + 1 : seconds, early ? 1000000000 - nanos : nanos);
    extend("mtime", modified);
    if (size > MOST_SIZE) extend_number("size", size);
    if (stat->st_uid > MOST_ID) extend_number("uid", stat->st_uid);
    if (stat->st_gid > MOST_ID) extend_number("gid", stat->st_gid);
    snprintf(header.mode, sizeof header.mode, "%07o", stat->st_mode & 07777);
    snprintf(header.uid, sizeof header.uid, "%07o", stat->st_uid > MOST_ID ? 0 : stat->st_uid);
    snprintf(header.gid, sizeof header.gid, "%07o", stat->st_gid > MOST_ID ? 0 : stat->st_gid);
    snprintf(header.modified, sizeof header.modified, "%011llo", (unsigned long long) (seconds < 0 || seconds > MOST_SIZE ? 0 : seconds));
    put_extended();
    put_header(&header, type, size);
}

static int compare(const void *left, const void *right) {
    const struct seen *a = left, *b = right;
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    return a->number == b->number ? 0 : a->number < b->number ? -1 : 1;
}

// The name under which a file was written already; NULL when this is its first.
static const char *first_name(const char *name, const struct stat *stat) {
    size_t length = strlen(name) + 1;
    struct seen *file = malloc(sizeof *file + length);
    if (file == NULL) die(TOOL_FAILED, "no memory for a name");
    file->device = stat->st_dev;
    file->number = stat->st_ino;
    memcpy(file->name, name, length);
    struct seen **known = tsearch(file, &seen_files, compare);
    if (known == NULL) die(TOOL_FAILED, "no memory for a name");
    if (*known == file) return NULL;
    free(file);
    return (*known)->name;
}

// As many bytes as its header promises, whatever happens to the file meanwhile.
static void put_content(int fd, const char *name, long long size) {
    static char buffer[COPY];
    for (long long left = size; left > 0;) {
        size_t most = left < COPY ? (size_t) left : COPY;
        ssize_t n = read(fd, buffer, most);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            if (n < 0) left_out(name);
            memset(buffer, 0, most);
            n = (ssize_t) most;
        }
        put(buffer, (size_t) n);
        left -= n;
    }
    pad((unsigned long long) size);
}

static void pack_file(const char *name) {
    struct stat stat;
    // Neither a link nor a pipe that took its place is followed or waited for.
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &stat) != 0) {
        left_out(name);
    } else if (S_ISREG(stat.st_mode)) {
        const char *first = stat.st_nlink > 1 ? first_name(name, &stat) : NULL;
        put_entry(name, first == NULL ? "" : first, first == NULL ? '0' : '1', &stat, first == NULL ? stat.st_size : 0);
        if (first == NULL) put_content(fd, name, stat.st_size);
    }
    if (fd >= 0) close(fd);
}

static void pack(const char *name) {
    struct stat stat;
    char target[PATH_MAX + 1];
    if (lstat(name, &stat) != 0) {
        left_out(name);
    } else if (S_ISREG(stat.st_mode)) {
        pack_file(name);
    } else if (S_ISLNK(stat.st_mode)) {
        ssize_t length = readlink(name, target, PATH_MAX);
        if (length < 0) {
            left_out(name);
            return;
        }
        target[length] = 0;
        put_entry(name, target, '2', &stat, 0);
    } else if (S_ISDIR(stat.st_mode)) {
        put_entry(name, "", '5', &stat, 0);
    } else if (S_ISFIFO(stat.st_mode)) {
        put_entry(name, "", '6', &stat, 0);
    }
}

int pack_tool(const char *root) {
    static const char end[2 * BLOCK];
    char *name = NULL;
    size_t room = 0;
    if (chdir(root) != 0) die(TOOL_FAILED, "%s: %s", root, strerror(errno));
    while (getdelim(&name, &room, 0, stdin) > 0) {
        if (strlen(name) < PATH_MAX) {
            pack(name);
        } else {
            errno = ENAMETOOLONG;
            left_out("a file");
        }
    }
    if (ferror(stdin)) die(TOOL_FAILED, "stdin: %s", strerror(errno));
    put(end, sizeof end);
    if (fflush(stdout) != 0) die(TOOL_FAILED, "stdout: %s", strerror(errno));
    free(name);
    return status;
}
