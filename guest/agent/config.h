// What the template says about this guest: /etc/atoll/agent.conf, lines of key=value.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_LANGUAGES = 16, MAX_WORDS = 16, MAX_COMMANDS = 32, MAX_BASE_ENV = 64, MAX_DIRECT = 16 };

// Clients that know no proxy reach this port of any host; natively in tests another one is bound in its place.
struct direct_port {
    uint16_t port, bound;
};

struct language {
    char *name;
    char *argv[MAX_WORDS + 1];
};

struct config {
    // Who runs what names no user.
    char *user;
    // Whether a process may ask to be root, and whether set-uid programs such as sudo work.
    bool allow_root;
    char *path;
    // Where what names no directory starts; the user's home if this is not set or not there.
    char *directory;
    struct language languages[MAX_LANGUAGES];
    int language_count;
    // Language of the kernel kept warm for the first OpenContext.
    char *spare;
    // Shell commands run as the default user before Hello.
    char *commands[MAX_COMMANDS];
    int command_count;
    // NAME=VALUE for everything that is started.
    char *env[MAX_BASE_ENV];
    int env_count;
    // Ports of the proxy and of the DNS server; 0: none. An agent that is not PID 1 is in nobody's guest, and opens only what is configured.
    uint16_t proxy_port, dns_port;
    // Where all direct connections are led; 0, or where the kernel cannot do that: only those to the direct ports come, and only to addresses of names.
    uint16_t redirect_port;
    struct direct_port direct[MAX_DIRECT];
    int direct_count;
    // How long a program may take to say where it wants to go.
    int proxy_millis;
};

extern struct config config;

// A missing file leaves the defaults; a line that cannot be understood ends the agent, since it would boot something else than asked.
void config_load(const char *file);

const struct language *config_language(const char *name);

// Says which languages there are, for somebody who asked for another.
void config_language_names(char *text, size_t size);
