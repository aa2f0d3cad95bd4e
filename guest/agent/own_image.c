#define _GNU_SOURCE
#include "own_image.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "log.h"

// The first byte of the program in memory, by the linker.
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

enum { PAGE = 4096 };

static int protection(uint32_t flags) {
    return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) | (flags & PF_X ? PROT_EXEC : 0);
}

// A copy takes the place of what was loaded, data that has changed since included: whoever cuts the file short takes even pages away that were
// written to. The calling code itself may lie there: one call of the kernel puts the same bytes under it, and nothing here writes to data meanwhile.
static void replace(uint8_t *start, size_t length, int protection) {
    uint8_t *copy = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) die(EXIT_INTERNAL, "no memory for the agent itself");
    memcpy(copy, start, length);
    if (mprotect(copy, length, protection) != 0 || mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, start) != start) {
        die(EXIT_INTERNAL, "the agent cannot leave its file: %s", strerror(errno));
    }
}

static uintptr_t base(void) {
    return __ehdr_start.e_type == ET_DYN ? (uintptr_t) &__ehdr_start : 0;
}

static const ElfW(Phdr) *header(int index) {
    return (const ElfW(Phdr) *) ((const uint8_t *) &__ehdr_start + __ehdr_start.e_phoff) + index;
}

static uintptr_t page_of(uintptr_t address) {
    return address & ~(uintptr_t) (PAGE - 1);
}

// What is read-only after relocation lies in a segment of data.
static void protect_constants(void) {
    for (int i = 0; i < __ehdr_start.e_phnum; i++) {
        if (header(i)->p_type != PT_GNU_RELRO) continue;
        uintptr_t start = page_of(base() + header(i)->p_vaddr), end = page_of(base() + header(i)->p_vaddr + header(i)->p_memsz);
        if (end > start && mprotect((void *) start, end - start, PROT_READ) != 0) die(EXIT_INTERNAL, "the agent's constants: %s", strerror(errno));
    }
}

void own_image(void) {
    for (int i = 0; i < __ehdr_start.e_phnum; i++) {
        if (header(i)->p_type != PT_LOAD || header(i)->p_filesz == 0) continue;
        uintptr_t start = page_of(base() + header(i)->p_vaddr), end = page_of(base() + header(i)->p_vaddr + header(i)->p_filesz + PAGE - 1);
        replace((uint8_t *) start, end - start, protection(header(i)->p_flags));
    }
    protect_constants();
}
