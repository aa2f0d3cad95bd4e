// Short names for the generated protobuf-c types, so that the agent's code reads like agent.proto.
#pragma once

#include "agent.pb-c.h"

typedef Atoll__Agent__Frame Frame;
typedef Atoll__Agent__Variable Variable;
typedef Atoll__Agent__Exit Exit;

#define FAILED(reason) ATOLL__AGENT__FAILED__REASON__##reason
#define EXIT_REASON(reason) ATOLL__AGENT__EXIT__REASON__##reason
#define WAY(name) ATOLL__AGENT__CONNECT__WAY__##name
#define REFUSED(reason) ATOLL__AGENT__REFUSED__REASON__##reason
#define VERDICT(name) ATOLL__AGENT__RESOLVED__VERDICT__##name
#define STREAM(name) ATOLL__AGENT__STREAM__##name
#define BODY(name) ATOLL__AGENT__FRAME__BODY_##name

// Pasted here and not through BODY, so that EOF stays a name when <stdio.h> has made a macro of it.
// Declares a frame of one body on a channel: FRAME(frame, channel, OK, ok, OK) gives `frame` and its message `frame_body`.
#define FRAME(var, channel_id, CASE, field, INIT)                     \
    Atoll__Agent__##INIT var##_body;                                  \
    atoll__agent__##field##__init(&var##_body);                       \
    Frame var = ATOLL__AGENT__FRAME__INIT;                            \
    var.channel = (channel_id);                                       \
    var.body_case = ATOLL__AGENT__FRAME__BODY_##CASE;                 \
    var.field = &var##_body

enum {
    MAX_FRAME = 65536,
    INITIAL_CREDIT = 262144,
    // No metered frame the agent builds has more than this around its payload.
    FRAME_OVERHEAD = 64,
    // Below this much credit a source waits, rather than send crumbs.
    LEAST_CREDIT = 2 * FRAME_OVERHEAD,
    MAX_CHANNELS = 1024,
    // Ids from here on are the guest's own.
    FIRST_OWN_CHANNEL = 1 << 30,
    MAX_TAG = 256,
    MAX_PATH = 4095,
    PROTOCOL_GENERATION = 3,
};

#define AGENT_VERSION "0.1.0"
