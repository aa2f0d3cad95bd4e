#define _GNU_SOURCE
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "descriptors.h"
#include "direct.h"
#include "disk_cap.h"
#include "failure.h"
#include "log.h"
#include "resource_limits.h"
#include "stream.h"
#include "target.h"

static struct kernel *spare;

static void forget_opening(struct kernel *kernel) {
    free(kernel->opening);
    kernel->opening = NULL;
}

static void garbage(struct kernel *kernel, const char *what) {
    log_line("kernel %d: %s; killing it", (int) kernel->job->target, what);
    kernel->state = KERNEL_BROKEN;
    kernel->length = 0;
    source_close(&kernel->control);
    job_kill(kernel->job);
}

static void opened(struct kernel *kernel, const struct kernel_event *event) {
    struct channel *channel = kernel->job->channel;
    if (kernel->state == KERNEL_OPEN_STATE || channel == NULL || channel->closing || event->length != 1) {
        garbage(kernel, "unexpected answer to open");
        return;
    }
    int error = event->bytes[0];
    if (error != 0) {
        channel_send_failed(channel->id, failure_reason(error), "the working directory cannot be entered");
        job_detach(kernel->job);
        inflow_close(&kernel->code);
        channel_free(channel);
        kernel->state = KERNEL_BROKEN;
        job_kill(kernel->job);
        return;
    }
    kernel->state = KERNEL_OPEN_STATE;
    kernel->announced = true;
    forget_opening(kernel);
    FRAME(frame, channel->id, STARTED, started, Started);
    frame_body.pid = (uint32_t) kernel->job->target;
    frame_body.asks = kernel->asks;
    stream_send(&frame);
}

static void send_done(struct channel *channel, uint64_t execution, int reason) {
    FRAME(frame, channel->id, DONE, done, Done);
    frame_body.execution = execution;
    frame_body.reason = reason;
    stream_send(&frame);
}

// Why an execution that is done met a limit, if it did. A program that the disk's limit ended by itself has told only the kernel; and who leaves the
// disk full is told, before more is lost.
static int limit_met(const struct channel *channel) {
    return channel->reason == EXIT_REASON(NONE) && limits_disk_full() ? EXIT_REASON(DISK) : channel->reason;
}

static void done(struct kernel *kernel) {
    struct channel *channel = kernel->job->channel;
    if (channel == NULL || channel->execution == 0) {
        garbage(kernel, "done without an execution");
        return;
    }
    // Exit follows, and says why.
    if (kernel->job->doomed) return;
    // See PROTOCOL.md: whoever interrupted it may have the rest ended, and is told by another Done when nothing of it is left.
    bool promise = kernel->interrupted && channel->reason != EXIT_REASON(DISK);
    kernel->promised = promise ? channel->execution : 0;
    send_done(channel, channel->execution, promise ? EXIT_REASON(TIME) : limit_met(channel));
    channel->execution = 0;
    channel->reason = EXIT_REASON(NONE);
    if (kernel->interrupted) job_order(kernel->job, ORDER_INTERRUPT_OVER, 0);
    kernel->interrupted = false;
}

void kernel_cleared(struct kernel *kernel) {
    struct channel *channel = kernel->job->channel;
    if (kernel->promised == 0 || channel == NULL || channel->closing || channel->exited || kernel->job->doomed) return;
    send_done(channel, kernel->promised, EXIT_REASON(NONE));
    kernel->promised = 0;
}

static void ready(struct kernel *kernel, const struct kernel_event *event) {
    if (event->length >= 1 && event->bytes[0] < 65) kernel->thaw_signal = event->bytes[0];
    if (event->length >= 2 && event->bytes[1] > 0 && event->bytes[1] < 65) job_order(kernel->job, ORDER_INTERRUPT_BY, event->bytes[1]);
    kernel->asks = event->length >= 3 && event->bytes[2] == 1;
    kernel->state = KERNEL_SPARE;
}

static void message(struct kernel *kernel, const struct kernel_event *event) {
    switch (event->type) {
        case KERNEL_READY:
            if (kernel->state != KERNEL_STARTING) {
                garbage(kernel, "ready twice");
                return;
            }
            ready(kernel, event);
            return;
        case KERNEL_SERVED_BY:
            if (event->length == 4) job_order(kernel->job, ORDER_SERVED_BY, (int) kernel_number(event->bytes));
            return;
        case KERNEL_OPENED: opened(kernel, event); return;
        case KERNEL_THAWED: kernel->thaw_awaited = false; return;
        default: done(kernel);
    }
}

static Atoll__Agent__Result__Kind kind_of(uint8_t type) {
    switch (type) {
        case KERNEL_RESULT: return ATOLL__AGENT__RESULT__KIND__RESULT;
        case KERNEL_DISPLAY: return ATOLL__AGENT__RESULT__KIND__DISPLAY;
        case KERNEL_QUESTION: return ATOLL__AGENT__RESULT__KIND__QUESTION;
        default: return ATOLL__AGENT__RESULT__KIND__ERROR;
    }
}

static void chunk(struct kernel *kernel, const struct kernel_event *event) {
    struct channel *channel = kernel->job->channel;
    FRAME(frame, channel->id, RESULT, result, Result);
    frame_body.execution = channel->execution;
    frame_body.kind = kind_of(event->type);
    frame_body.chunk.data = (uint8_t *) event->bytes;
    frame_body.chunk.len = event->length;
    frame_body.last = event->last;
    channel_send_metered(channel, &frame);
}

// Handles one message or chunk; false when nothing more can be done now.
static bool step(struct kernel *kernel) {
    uint32_t most = 0;
    if (kernel_parser_in_chunk(&kernel->parser)) {
        struct channel *channel = kernel->job->channel;
        if (channel == NULL || channel->execution == 0) {
            garbage(kernel, "a result without an execution");
            return false;
        }
        most = channel_payload_room(channel, KERNEL_BUFFER);
        if (most == 0) {
            kernel->blocked = true;
            return false;
        }
    }
    struct kernel_event event;
    size_t used = kernel_parse(&kernel->parser, kernel->buffer + kernel->start, kernel->length, most, &event);
    kernel->start += used;
    kernel->length -= used;
    if (event.kind == KERNEL_GARBAGE) garbage(kernel, "an unknown or oversized message");
    else if (event.kind == KERNEL_CHUNK) chunk(kernel, &event);
    else if (event.kind == KERNEL_MESSAGE) message(kernel, &event);
    return kernel->state != KERNEL_BROKEN && kernel->length > 0;
}

void kernel_advance(struct kernel *kernel) {
    if (kernel->state == KERNEL_BROKEN || kernel->length == 0) return;
    kernel->blocked = false;
    if (kernel->drain_first && kernel->job->channel != NULL) kernel->blocked = !job_drain(kernel->job);
    if (!kernel->blocked) {
        kernel->drain_first = false;
        while (step(kernel)) {}
    }
    if (kernel->blocked) source_disarm(&kernel->control);
    else if (kernel->state != KERNEL_BROKEN) source_arm(&kernel->control);
}

// False at the end of the pipe, or when it is empty.
static bool read_control(struct kernel *kernel) {
    if (kernel->length > 0 || kernel->control.fd < 0) return false;
    ssize_t n = direct_read(kernel->control.fd, kernel->buffer, sizeof kernel->buffer);
    if (n < 0) return errno == EINTR;
    if (n == 0) {
        source_close(&kernel->control);
        return false;
    }
    kernel->start = 0;
    kernel->length = (size_t) n;
    kernel->drain_first = true;
    job_drain_begin(kernel->job);
    return true;
}

static void control_ready(struct source *source, uint32_t events) {
    (void) events;
    struct kernel *kernel = source->owner;
    if (read_control(kernel)) kernel_advance(kernel);
}

// Code in the user's own folder, as usercustomize.py, runs before the kernel does. When it ends the interpreter, no context could ever be opened in
// which it might be mended.
static Variable no_user_site = {.base = PROTOBUF_C_MESSAGE_INIT(&atoll__agent__variable__descriptor), .name = "PYTHONNOUSERSITE", .value = "1"};
static Variable cautious_start = {.base = PROTOBUF_C_MESSAGE_INIT(&atoll__agent__variable__descriptor), .name = "ATOLL_CAUTIOUS_START", .value = "1"};
static Variable *const caution[] = {&no_user_site, &cautious_start};

static struct kernel *start(const struct language *language, bool cautious, int *error) {
    struct kernel *kernel = calloc(1, sizeof *kernel);
    int code[2] = {-1, -1}, control[2] = {-1, -1};
    if (kernel == NULL || pipe2(code, O_CLOEXEC) != 0 || pipe2(control, O_CLOEXEC) != 0) {
        *error = errno;
        if (code[0] >= 0) {
            close(code[0]);
            close(code[1]);
        }
        free(kernel);
        return NULL;
    }
    kernel->language = language;
    kernel->cautious = cautious;
    struct launch launch = {
        .argv = language->argv, .user = "", .cwd = "",
        .env = caution, .env_count = cautious ? 2 : 0,
        .in = -1, .out = -1, .err = -1, .control_in = code[0], .control_out = control[1],
    };
    descriptors_never_block(code[1]);
    descriptors_never_block(control[0]);
    inflow_init(&kernel->code, code[1], NULL);
    source_init(&kernel->control, control[0], EPOLLIN, control_ready, kernel);
    kernel->job = job_start_kernel(kernel, &launch);
    *error = errno;
    close(code[0]);
    close(control[1]);
    if (kernel->job == NULL) {
        kernel_free(kernel);
        return NULL;
    }
    source_arm(&kernel->control);
    return kernel;
}

void kernel_start_spare(void) {
    int error;
    if (config.spare == NULL) return;
    spare = start(config_language(config.spare), false, &error);
    if (spare == NULL) log_line("spare %s kernel: %s", config.spare, strerror(error));
}

bool kernel_has_spare(void) {
    return spare != NULL;
}

bool kernel_spare_is_starting(void) {
    return spare != NULL && spare->state == KERNEL_STARTING;
}

// The payload is the working directory, then the variables of the last thaw, an empty string, and those of the context; each ends with NUL.
static size_t append_variables(uint8_t *payload, size_t length, Atoll__Agent__Variable *const *variables, size_t count) {
    for (size_t i = 0; i < count; i++) {
        length += strlen(strcpy((char *) payload + length, variables[i]->name));
        payload[length++] = '=';
        length += strlen(strcpy((char *) payload + length, variables[i]->value)) + 1;
    }
    return length;
}

// A frame holds at most MAX_FRAME bytes, and a variable takes no more room here than in its frame.
static void send_variables(struct kernel *kernel, const Atoll__Agent__Execute *message) {
    uint8_t *payload = malloc(2 * MAX_FRAME);
    if (payload == NULL) die(EXIT_INTERNAL, "no memory for variables");
    size_t length = append_variables(payload, 0, message->env, message->n_env);
    uint8_t header[KERNEL_HEADER];
    kernel_header(header, KERNEL_VARIABLES, length);
    inflow_write(&kernel->code, header, sizeof header, payload, length);
    free(payload);
}

static void prepare_open(struct kernel *kernel, const Atoll__Agent__OpenContext *message) {
    uint8_t *payload = malloc(4 * MAX_FRAME);
    if (payload == NULL) die(EXIT_INTERNAL, "no memory for variables");
    size_t length = 0;
    char *const *thaw;
    size_t thaw_count = target_thaw_env(&thaw);
    length += strlen(strcpy((char *) payload, message->cwd)) + 1;
    for (size_t i = 0; i < thaw_count; i++) length += strlen(strcpy((char *) payload + length, thaw[i])) + 1;
    payload[length++] = 0;
    kernel->opening_length = append_variables(payload, length, message->env, message->n_env);
    kernel->opening = payload;
}

// Gives the kernel its channel and has it open the context.
static void send_open(struct kernel *kernel, struct channel *channel) {
    kernel->job->channel = channel;
    channel->job = kernel->job;
    kernel->code.channel = channel;
    uint8_t header[KERNEL_HEADER];
    kernel_header(header, KERNEL_OPEN, kernel->opening_length);
    inflow_write(&kernel->code, header, sizeof header, kernel->opening, kernel->opening_length);
    job_resume(kernel->job);
}

// Opens the context of a kernel that ended while it started in another one, if that may help.
static bool start_again(struct kernel *kernel) {
    struct channel *channel = kernel->job->channel;
    int error;
    if (channel == NULL || channel->closing || kernel->cautious || kernel->opening == NULL || strcmp(kernel->language->name, "python") != 0) return false;
    struct kernel *next = start(kernel->language, true, &error);
    if (next == NULL) return false;
    log_line("kernel %s: it ended while starting; once more without the user's site", kernel->language->name);
    next->opening = kernel->opening;
    next->opening_length = kernel->opening_length;
    kernel->opening = NULL;
    job_detach(kernel->job);
    inflow_close(&kernel->code);
    send_open(next, channel);
    return true;
}

void kernel_open(struct channel *channel, const Atoll__Agent__OpenContext *message) {
    const struct language *language = config_language(message->language);
    int error = 0;
    struct kernel *kernel = NULL;
    if (language == NULL) {
        char known[512];
        config_language_names(known, sizeof known);
        channel_send_failed(channel->id, FAILED(NO_SUCH_LANGUAGE), known);
        channel_free(channel);
        return;
    }
    if (spare != NULL && spare->language == language) {
        kernel = spare;
        spare = NULL;
    } else {
        kernel = start(language, false, &error);
    }
    if (kernel == NULL) {
        channel_send_failed(channel->id, FAILED(TOO_MANY), strerror(error));
        channel_free(channel);
        return;
    }
    prepare_open(kernel, message);
    send_open(kernel, channel);
}

void kernel_execute(struct channel *channel, const Atoll__Agent__Execute *message) {
    struct kernel *kernel = channel->job == NULL ? NULL : channel->job->kernel;
    if (channel->exited || channel->closing || kernel == NULL || kernel->state == KERNEL_BROKEN) {
        // Races with the end of the kernel, which Exit tells.
        channel_grant(channel, 0);
        return;
    }
    bool goes_on = kernel->loading != 0 && kernel->loading == message->execution;
    if (channel->execution != 0 || !(goes_on || message->execution > channel->last_execution)) {
        bool busy = channel->execution != 0;
        channel_send_failed(channel->id, busy ? FAILED(BUSY) : FAILED(INVALID), busy ? "an execution is under way" : "execution numbers must grow");
        channel_grant(channel, kernel->code.length);
        return;
    }
    channel->last_execution = message->execution;
    kernel->loading = message->last ? 0 : message->execution;
    if (message->last) {
        channel->execution = message->execution;
        channel->offset = 0;
        channel->reason = EXIT_REASON(NONE);
        disk_uncap_if_room();
        if (message->n_env > 0) send_variables(kernel, message);
    }
    uint8_t header[KERNEL_HEADER];
    if (message->last && message->answers && kernel->asks) {
        kernel_header(header, KERNEL_MAY_ASK, 0);
        inflow_write(&kernel->code, header, sizeof header, NULL, 0);
    }
    kernel_header(header, message->last ? KERNEL_EXECUTE : KERNEL_CODE, message->chunk.len);
    inflow_write(&kernel->code, header, sizeof header, message->chunk.data, message->chunk.len);
}

// The kernel knows whether it still waits for that.
void kernel_answer(struct channel *channel, const Atoll__Agent__Answer *message) {
    struct kernel *kernel = channel->job == NULL ? NULL : channel->job->kernel;
    bool waits = !channel->exited && !channel->closing && kernel != NULL && kernel->state != KERNEL_BROKEN && kernel->asks;
    if (!waits || channel->execution == 0 || channel->execution != message->execution) {
        channel_grant(channel, kernel == NULL ? 0 : kernel->code.length);
        return;
    }
    uint8_t head[KERNEL_HEADER + 5];
    size_t length = message->end ? 0 : message->text.len;
    kernel_header(head, KERNEL_ANSWER, 5 + length);
    for (int i = 0; i < 4; i++) head[KERNEL_HEADER + i] = (uint8_t) (message->number >> (24 - 8 * i));
    head[KERNEL_HEADER + 4] = message->end ? 1 : 0;
    inflow_write(&kernel->code, head, sizeof head, message->text.data, length);
}

void kernel_interrupt(struct channel *channel) {
    if (channel->execution == 0 || channel->job == NULL || channel->job->kernel == NULL) return;
    struct kernel *kernel = channel->job->kernel;
    uint8_t header[KERNEL_HEADER];
    // The message lets the kernel tell an interrupt of this execution from a late one of the execution before; see PROTOCOL.md.
    kernel_header(header, KERNEL_INTERRUPTED, 0);
    if (kernel->code.length < MAX_FRAME) inflow_write(&kernel->code, header, sizeof header, NULL, 0);
    job_order(kernel->job, ORDER_INTERRUPT, kernel->thaw_signal);
    kernel->interrupted = true;
}

void kernel_failed(struct kernel *kernel, int reason, const char *message) {
    struct channel *channel = kernel->job->channel;
    log_line("kernel %s: %s", kernel->language->name, message);
    kernel->state = KERNEL_BROKEN;
    if (spare == kernel) spare = NULL;
    if (channel == NULL || channel->closing) return;
    channel_send_failed(channel->id, reason, message);
    job_detach(kernel->job);
    inflow_close(&kernel->code);
    channel_free(channel);
}

// Why a kernel did not start that nobody has opened yet is for the log: a template's build shows it.
static void log_last_words(const struct kernel *kernel) {
    char words[4096];
    struct pollfd err = {.fd = kernel->job->out[1].source.fd, .events = POLLIN};
    if (err.fd < 0 || poll(&err, 1, 0) <= 0) return;
    ssize_t n = direct_read(err.fd, words, sizeof words - 1);
    if (n <= 0) return;
    words[n] = 0;
    char *rest = NULL;
    for (char *line = strtok_r(words, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) log_line("kernel %s: %s", kernel->language->name, line);
}

void kernel_ended(struct kernel *kernel) {
    if (kernel->job->channel == NULL && kernel->state == KERNEL_STARTING) log_last_words(kernel);
    // Its last words count, as far as credit reaches; the pipe bounds them.
    for (int i = 0; i < 64 && kernel->state != KERNEL_BROKEN && read_control(kernel); i++) kernel_advance(kernel);
    if (kernel->state != KERNEL_OPEN_STATE && !kernel->announced && !start_again(kernel)) {
        kernel_failed(kernel, FAILED(IO), "the kernel ended while starting");
    }
    if (spare == kernel) spare = NULL;
    kernel->state = KERNEL_BROKEN;
    kernel->length = 0;
    source_close(&kernel->control);
    inflow_close(&kernel->code);
}

void kernel_free(struct kernel *kernel) {
    if (spare == kernel) spare = NULL;
    source_close(&kernel->control);
    inflow_close(&kernel->code);
    forget_opening(kernel);
    free(kernel);
}
