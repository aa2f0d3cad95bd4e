// File operations, the worker's side: a forked process that acts with the rights of a user and may block.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "user.h"
#include "wire.h"

// Worker to agent: a kind, a 4-byte length, and one encoded frame.
enum {
    ANSWER_METERED = 'M',
    ANSWER_FREE = 'F',
    ANSWER_LAST = 'L',
    ANSWER_HEADER = 5,
    // Room for one entry with two of the longest names, cleaned.
    ANSWER_MOST = 40 * 1024,
    FILE_PIECE = 32 * 1024,
};

// Where an upload collects its bytes: beside the file it will replace. The worker notes the path here, in memory it shares with the agent.
struct upload_place {
    char path[MAX_PATH + 1];
    char user[64];
};

// For an upload whose worker died: removes what it left, in a worker of its own.
void file_remove_leftover(const struct upload_place *place);

// Runs one operation and ends the process.
_Noreturn void file_work(const Frame *frame, uint32_t channel, struct upload_place *place, int answers, int upload);

// For operations: the worker they run in.
struct work {
    uint32_t channel;
    int answers, upload;
    struct upload_place *place;
    struct user user;
};

void work_answer(const struct work *work, int kind, const Frame *frame);
// These two end the worker.
_Noreturn void work_ok(const struct work *work);
_Noreturn void work_fail(const struct work *work, int reason, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void work_fail_errno(const struct work *work, const char *path);
_Noreturn void work_last(const struct work *work, const Frame *frame);

// The absolute form of a path: as it is, or below the user's home.
const char *work_path(const struct work *work, const char *path, char absolute[MAX_PATH + 1]);

// A file as the protocol shows it; the texts live until the next call.
struct entry_text {
    char path[UINT16_MAX / 4];
    char target[UINT16_MAX / 4];
    char owner[64];
};
void entry_fill(Atoll__Agent__Entry *entry, struct entry_text *text, const char *path, const struct stat *stat, const char *target);

// Creates the directories above a path that are missing. False with errno.
bool make_parents(const char *path);

_Noreturn void file_read(const struct work *work, const Atoll__Agent__ReadFile *message);
_Noreturn void file_write(const struct work *work, const Atoll__Agent__WriteFile *message);
_Noreturn void file_stat(const struct work *work, const Atoll__Agent__Stat *message);
_Noreturn void file_list(const struct work *work, const Atoll__Agent__List *message);
_Noreturn void file_move(const struct work *work, const Atoll__Agent__Move *message);
_Noreturn void file_remove(const struct work *work, const Atoll__Agent__Remove *message);
_Noreturn void file_make_dir(const struct work *work, const Atoll__Agent__MakeDir *message);
_Noreturn void file_watch(const struct work *work, const Atoll__Agent__Watch *message);
