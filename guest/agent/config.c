#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

struct config config = {
    .user = "sandbox",
    .path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
};

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

static void apply(const char *key, const char *value) {
    if (strcmp(key, "user") == 0) {
        config.user = copy(value);
    } else if (strcmp(key, "allow-root") == 0 && (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)) {
        config.allow_root = value[0] == 't';
    } else if (strcmp(key, "path") == 0) {
        config.path = copy(value);
    } else if (strncmp(key, "kernel.", 7) == 0 && key[7] != 0) {
        add_language(key + 7, value);
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
