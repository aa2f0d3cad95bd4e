// The addresses in 127.64.0.0/10 that the guest's DNS server gives to names, and the way back from them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host_name.h"

enum { MAX_NAMES = 4096 };

struct known_name {
    char name[MAX_HOST + 1];
    // In host byte order.
    uint32_t address;
    // Connections that were made to the address; as long as there is one it stays this name's.
    unsigned users;
    struct known_name *newer, *older;
    struct known_name *next_by_name, *next_by_address;
};

bool name_table_holds(uint32_t address);

// Finds the name or gives it an address; the least recently used one makes room. NULL when all of them are in use.
struct known_name *name_table_add(const char *name);

// NULL when the address has no name.
struct known_name *name_table_find(uint32_t address);
