#include "dns_message.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 12, TIME_TO_LIVE = 60, FLAG_RESPONSE = 0x80, FLAG_RECURSION = 0x01, FLAG_RECURSION_AVAILABLE = 0x80, POINTER_TO_QUESTION = 0xC000 | HEADER };

static uint16_t get16(const uint8_t *at) {
    return (uint16_t) (at[0] << 8 | at[1]);
}

static uint8_t *put16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t) (value >> 8);
    at[1] = (uint8_t) value;
    return at + 2;
}

// The length of the labels at the beginning, the last and empty one included; 0 when they are cut short. Nothing points anywhere in a question.
static size_t labels_length(const uint8_t *bytes, size_t length) {
    size_t at = 0;
    while (at < length && bytes[at] != 0) {
        if (bytes[at] > MAX_LABEL) return 0;
        at += 1u + bytes[at];
    }
    return at < length && at < 255 ? at + 1 : 0;
}

static void read_name(struct dns_query *query, const uint8_t *labels) {
    char text[256];
    size_t length = 0;
    for (; *labels != 0; labels += 1 + *labels) {
        // A dot inside a label would make another name of it.
        if (memchr(labels + 1, '.', *labels) != NULL) return;
        memcpy(text + length, labels + 1, *labels);
        length += *labels;
        text[length++] = '.';
    }
    if (!host_name_clean(text, length, query->name)) query->name[0] = 0;
}

bool dns_parse(struct dns_query *query, const uint8_t *packet, size_t length) {
    *query = (struct dns_query){0};
    if (length < HEADER || length > DNS_MOST || packet[2] & FLAG_RESPONSE || get16(packet + 4) != 1) return false;
    size_t name = labels_length(packet + HEADER, length - HEADER);
    if (name == 0 || length < HEADER + name + 4) return false;
    query->id = get16(packet);
    query->opcode = packet[2] >> 3 & 15;
    query->recursion = packet[2] & FLAG_RECURSION;
    query->type = get16(packet + HEADER + name);
    query->class = get16(packet + HEADER + name + 2);
    query->question_length = name + 4;
    memcpy(query->question, packet + HEADER, query->question_length);
    read_name(query, query->question);
    return true;
}

size_t dns_answer(uint8_t *out, const struct dns_query *query, enum dns_code code, const uint8_t *data, size_t data_length) {
    uint8_t *at = put16(out, query->id);
    *at++ = (uint8_t) (FLAG_RESPONSE | query->opcode << 3 | (query->recursion ? FLAG_RECURSION : 0));
    *at++ = (uint8_t) (FLAG_RECURSION_AVAILABLE | code);
    at = put16(at, 1);
    at = put16(at, data != NULL);
    at = put16(put16(at, 0), 0);
    memcpy(at, query->question, query->question_length);
    at += query->question_length;
    if (data != NULL) {
        at = put16(at, POINTER_TO_QUESTION);
        at = put16(put16(at, query->type), DNS_IN);
        at = put16(put16(at, 0), TIME_TO_LIVE);
        at = put16(at, (unsigned) data_length);
        memcpy(at, data, data_length);
        at += data_length;
    }
    return (size_t) (at - out);
}

size_t dns_labels(uint8_t *out, const char *name) {
    uint8_t *at = out;
    while (*name != 0) {
        size_t length = strcspn(name, ".");
        *at++ = (uint8_t) length;
        memcpy(at, name, length);
        at += length;
        name += length + (name[length] == '.');
    }
    *at++ = 0;
    return (size_t) (at - out);
}

bool dns_reversed(const char *name, uint32_t *address) {
    unsigned part[4];
    int end = 0;
    if (sscanf(name, "%3u.%3u.%3u.%3u.in-addr.arpa%n", &part[0], &part[1], &part[2], &part[3], &end) != 4 || end == 0 || name[end] != 0) return false;
    *address = 0;
    for (int i = 3; i >= 0; i--) {
        if (part[i] > 255) return false;
        *address = *address << 8 | part[i];
    }
    return true;
}
