// Decides what a question needs: an answer from here, or the host's verdict on a name.
#define _GNU_SOURCE
#include "dns_question.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel.h"
#include "dns.h"
#include "dns_message.h"
#include "dns_tcp.h"
#include "log.h"
#include "loop.h"
#include "name_table.h"
#include "stream.h"

enum { MAX_QUESTIONS = 256, MAX_WAITERS = 1024, VERDICT_MILLIS = 15000, TICK_MILLIS = 1000, LOCALHOST = 127 << 24 | 1 };

struct waiter {
    struct asker asker;
    struct dns_query query;
    struct waiter *next;
};

// One name that the host is asked for, whoever wants to know it.
struct question {
    char name[MAX_HOST + 1];
    struct channel *channel;
    struct waiter *waiters;
    int64_t deadline;
    struct question *next;
};

static struct question *questions;
static unsigned question_count, waiter_count;
static int64_t next_tick;

static void answer(const struct asker *asker, const struct dns_query *query, enum dns_code code, const uint8_t *data, size_t length) {
    uint8_t message[DNS_MOST];
    dns_reply(asker, message, dns_answer(message, query, code, data, length));
}

static void answer_address(const struct asker *asker, const struct dns_query *query, uint32_t address) {
    uint8_t bytes[4] = {(uint8_t) (address >> 24), (uint8_t) (address >> 16), (uint8_t) (address >> 8), (uint8_t) address};
    answer(asker, query, DNS_NO_ERROR, bytes, sizeof bytes);
}

static void answer_local(const struct asker *asker, const struct dns_query *query) {
    static const uint8_t six[16] = {[15] = 1};
    if (query->type == DNS_A) answer_address(asker, query, LOCALHOST);
    else if (query->type == DNS_AAAA) answer(asker, query, DNS_NO_ERROR, six, sizeof six);
    else answer(asker, query, DNS_NO_ERROR, NULL, 0);
}

static void answer_reversed(const struct asker *asker, const struct dns_query *query) {
    uint8_t labels[MAX_HOST + 2];
    uint32_t address;
    const char *name = NULL;
    if (dns_reversed(query->name, &address)) {
        struct known_name *known = name_table_holds(address) ? name_table_find(address) : NULL;
        name = known != NULL ? known->name : address == LOCALHOST ? "localhost" : NULL;
    }
    if (name == NULL) answer(asker, query, DNS_NO_SUCH_NAME, NULL, 0);
    else answer(asker, query, DNS_NO_ERROR, labels, dns_labels(labels, name));
}

static void answer_verdict(const struct waiter *waiter, int verdict, const struct known_name *known) {
    const struct dns_query *query = &waiter->query;
    enum dns_code code = verdict == VERDICT(KNOWN) && known != NULL ? DNS_NO_ERROR
        : verdict == VERDICT(UNKNOWN) ? DNS_NO_SUCH_NAME : verdict == VERDICT(REFUSED) ? DNS_REFUSED : DNS_SERVER_FAILURE;
    if (code == DNS_NO_ERROR && query->type == DNS_A) answer_address(&waiter->asker, query, known->address);
    else answer(&waiter->asker, query, code, NULL, 0);
}

static void forget(struct question *question) {
    struct question **link = &questions;
    while (*link != question) link = &(*link)->next;
    *link = question->next;
    if (question->channel != NULL) channel_free(question->channel);
    free(question);
    question_count--;
}

void dns_resolved(struct question *question, int verdict) {
    const struct known_name *known = verdict == VERDICT(KNOWN) ? name_table_add(question->name) : NULL;
    // Taken off one by one: answering may end a connection, which looks for its waiter here.
    while (question->waiters != NULL) {
        struct waiter *waiter = question->waiters;
        question->waiters = waiter->next;
        waiter_count--;
        answer_verdict(waiter, verdict, known);
        free(waiter);
    }
    forget(question);
}

void dns_closed(struct question *question) {
    channel_send_closed(question->channel->id);
    dns_resolved(question, VERDICT(FAILED));
}

void dns_abandon(struct dns_connection *connection) {
    for (struct question *question = questions; question != NULL; question = question->next) {
        for (struct waiter **link = &question->waiters; *link != NULL;) {
            struct waiter *waiter = *link;
            if (waiter->asker.connection != connection) {
                link = &waiter->next;
                continue;
            }
            *link = waiter->next;
            free(waiter);
            waiter_count--;
        }
    }
}

static bool send_resolve(struct question *question) {
    question->channel = channel_open_own();
    if (question->channel == NULL) return false;
    question->channel->question = question;
    question->deadline = now_millis() + VERDICT_MILLIS;
    FRAME(frame, question->channel->id, RESOLVE, resolve, Resolve);
    frame_body.name = question->name;
    stream_send(&frame);
    return true;
}

static struct question *question_about(const char *name) {
    for (struct question *question = questions; question != NULL; question = question->next) {
        if (strcmp(question->name, name) == 0) return question;
    }
    if (question_count == MAX_QUESTIONS) return NULL;
    struct question *question = calloc(1, sizeof *question);
    if (question == NULL) die(EXIT_INTERNAL, "out of memory for a question");
    strncpy(question->name, name, MAX_HOST);
    question->next = questions;
    questions = question;
    question_count++;
    if (send_resolve(question)) return question;
    forget(question);
    return NULL;
}

// A program that has had no answer yet asks again.
static bool is_asked_already(const struct question *question, const struct asker *asker, const struct dns_query *query) {
    for (const struct waiter *waiter = question->waiters; waiter != NULL; waiter = waiter->next) {
        if (asker->connection == NULL && waiter->asker.connection == NULL && waiter->query.id == query->id && waiter->query.type == query->type
            && waiter->asker.from.sin_port == asker->from.sin_port && waiter->asker.from.sin_addr.s_addr == asker->from.sin_addr.s_addr) return true;
    }
    return false;
}

static void ask_host(const struct asker *asker, const struct dns_query *query) {
    struct question *question = waiter_count < MAX_WAITERS ? question_about(query->name) : NULL;
    if (question == NULL) {
        answer(asker, query, DNS_SERVER_FAILURE, NULL, 0);
        return;
    }
    if (is_asked_already(question, asker, query)) return;
    struct waiter *waiter = malloc(sizeof *waiter);
    if (waiter == NULL) die(EXIT_INTERNAL, "out of memory for a question");
    *waiter = (struct waiter){.asker = *asker, .query = *query, .next = question->waiters};
    question->waiters = waiter;
    waiter_count++;
}

static bool is_local(const char *name) {
    char own[MAX_HOST + 2] = "", clean[MAX_HOST + 1];
    gethostname(own, sizeof own - 1);
    if (host_name_clean(own, strlen(own), clean) && strcmp(clean, name) == 0) return true;
    size_t length = strlen(name);
    return strcmp(name, "localhost") == 0 || (length > 10 && strcmp(name + length - 10, ".localhost") == 0);
}

void dns_question(const struct asker *asker, const uint8_t *bytes, size_t length) {
    struct dns_query query;
    if (!dns_parse(&query, bytes, length)) {
        if (asker->connection != NULL) dns_tcp_drop(asker->connection);
        return;
    }
    bool is_root = query.question[0] == 0;
    if (query.opcode != DNS_QUERY || query.class != DNS_IN) answer(asker, &query, DNS_NOT_IMPLEMENTED, NULL, 0);
    else if (query.type == DNS_PTR) answer_reversed(asker, &query);
    else if (query.name[0] != 0 && is_local(query.name)) answer_local(asker, &query);
    else if (query.name[0] == 0 && !is_root) answer(asker, &query, DNS_NO_SUCH_NAME, NULL, 0);
    else if (!is_root && (query.type == DNS_A || query.type == DNS_AAAA)) ask_host(asker, &query);
    else answer(asker, &query, DNS_NO_ERROR, NULL, 0);
}

int dns_timeout(void) {
    if (question_count == 0 && !dns_tcp_is_busy()) {
        next_tick = 0;
        return -1;
    }
    int64_t now = now_millis();
    if (next_tick == 0) next_tick = now + TICK_MILLIS;
    return next_tick > now ? (int) (next_tick - now) : 0;
}

void dns_tick(void) {
    int64_t now = now_millis();
    if (next_tick == 0 || now < next_tick) return;
    next_tick = now + TICK_MILLIS;
    for (struct question *question = questions, *next; question != NULL; question = next) {
        next = question->next;
        if (question->deadline <= now) dns_closed(question);
    }
    dns_tcp_expire(now);
}

void dns_forget(void) {
    dns_tcp_drop_all();
    for (struct question *question = questions; question != NULL; question = question->next) {
        channel_free(question->channel);
        question->channel = NULL;
    }
}

void dns_ask_again(void) {
    for (struct question *question = questions, *next; question != NULL; question = next) {
        next = question->next;
        if (!send_resolve(question)) dns_resolved(question, VERDICT(FAILED));
    }
}
