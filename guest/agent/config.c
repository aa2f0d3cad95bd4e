#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

struct config config = {
    .user = "sandbox",
    .path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    .proxy_millis = 30000,
};

// Secure shell, the web, and mail.
static const uint16_t usual_direct[] = {22, 25, 80, 443, 465, 587, 993};

static char *copy(const char *text) {
    char *result = strdup(text);
    if (result == NULL) die(EXIT_INTERNAL, "out of memory for the configuration");
    return result;
}

static void add_language(const char *name, const char *words) {
    if (config.language_count == MAX_LANGUAGES) die(EXIT_INTERNAL, "more than %d kernels configured", MAX_LANGUAGES);
    struct language *language = &config.languages[config.language_count++];
    language->name = copy(name);
    char *rest = copy(words), *word;
    int n = 0;
    while ((word = strsep(&rest, " ")) != NULL) {
        if (*word == 0) continue;
        if (n == MAX_WORDS) die(EXIT_INTERNAL, "kernel.%s has more than %d words", name, MAX_WORDS);
        language->argv[n++] = word;
    }
    if (n == 0) die(EXIT_INTERNAL, "kernel.%s is empty", name);
}

static uint16_t port(const char *text, char **end) {
    unsigned long value = strtoul(text, end, 10);
    if (*end == text || value > UINT16_MAX) die(EXIT_INTERNAL, "agent.conf: no port: %s", text);
    return (uint16_t) value;
}

static uint16_t only_port(const char *text) {
    char *end;
    uint16_t value = port(text, &end);
    if (*end != 0) die(EXIT_INTERNAL, "agent.conf: no port: %s", text);
    return value;
}

// "80,443:8443": the second is bound to 8443.
static void set_direct(const char *list) {
    config.direct_count = 0;
    while (*list != 0) {
        if (config.direct_count == MAX_DIRECT) die(EXIT_INTERNAL, "more than %d direct ports configured", MAX_DIRECT);
        struct direct_port *direct = &config.direct[config.direct_count++];
        char *end;
        direct->port = direct->bound = port(list, &end);
        if (*end == ':') direct->bound = port(end + 1, &end);
        if (*end != 0 && *end != ',') die(EXIT_INTERNAL, "agent.conf: no ports: %s", list);
        list = *end == ',' ? end + 1 : end;
    }
}

static void set_usual_ports(void) {
    config.proxy_port = 3128;
    config.redirect_port = 3129;
    config.dns_port = 53;
    for (size_t i = 0; i < sizeof usual_direct / sizeof usual_direct[0]; i++) {
        config.direct[config.direct_count++] = (struct direct_port){usual_direct[i], usual_direct[i]};
    }
}

static void apply(const char *key, const char *value) {
    if (strcmp(key, "user") == 0) {
        config.user = copy(value);
    } else if (strcmp(key, "allow-root") == 0 && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)) {
        config.allow_root = value[0] == 't';
    } else if (strcmp(key, "path") == 0) {
        config.path = copy(value);
    } else if (strcmp(key, "directory") == 0 && value[0] == '/') {
        config.directory = copy(value);
    } else if (strncmp(key, "kernel.", 7) == 0 && key[7] != 0) {
        add_language(key + 7, value);
    } else if (strcmp(key, "proxy-port") == 0) {
        config.proxy_port = only_port(value);
    } else if (strcmp(key, "proxy-millis") == 0 && atoi(value) > 0) {
        config.proxy_millis = atoi(value);
    } else if (strcmp(key, "dns-port") == 0) {
        config.dns_port = only_port(value);
    } else if (strcmp(key, "redirect-port") == 0) {
        config.redirect_port = only_port(value);
    } else if (strcmp(key, "direct-ports") == 0) {
        set_direct(value);
    } else if (strcmp(key, "spare") == 0) {
        config.spare = copy(value);
    } else if (strcmp(key, "start") == 0 && config.command_count < MAX_COMMANDS) {
        config.commands[config.command_count++] = copy(value);
    } else if (strncmp(key, "env.", 4) == 0 && key[4] != 0 && config.env_count < MAX_BASE_ENV) {
        size_t size = strlen(key + 4) + strlen(value) + 2;
        char *pair = malloc(size);
        if (pair == NULL) die(EXIT_INTERNAL, "out of memory for the configuration");
        snprintf(pair, size, "%s=%s", key + 4, value);
        config.env[config.env_count++] = pair;
    } else {
        die(EXIT_INTERNAL, "agent.conf: cannot use %s=%s", key, value);
    }
}

void config_load(const char *file) {
    if (getpid() == 1) set_usual_ports();
    FILE *in = fopen(file, "re");
    if (in == NULL) {
        if (errno != ENOENT) die(EXIT_INTERNAL, "%s: %s", file, strerror(errno));
        return;
    }
    char line[8192];
    while (fgets(line, sizeof line, in) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        if (line[0] == 0 || line[0] == '#') continue;
        char *equals = strchr(line, '=');
        if (equals == NULL) die(EXIT_INTERNAL, "agent.conf: no '=' in \"%s\"", line);
        *equals = 0;
        apply(line, equals + 1);
    }
    fclose(in);
    if (config.spare != NULL && config_language(config.spare) == NULL) die(EXIT_INTERNAL, "agent.conf: spare=%s has no kernel", config.spare);
}

const struct language *config_language(const char *name) {
    for (int i = 0; i < config.language_count; i++) {
        if (strcmp(config.languages[i].name, name) == 0) return &config.languages[i];
    }
    return NULL;
}

void config_language_names(char *text, size_t size) {
    size_t length = (size_t) snprintf(text, size, config.language_count == 0 ? "this template has no kernels" : "this template has no kernel of that language; it has ");
    for (int i = 0; i < config.language_count && length < size; i++) {
        length += (size_t) snprintf(text + length, size - length, "%s%s", i == 0 ? "" : ", ", config.languages[i].name);
    }
}
