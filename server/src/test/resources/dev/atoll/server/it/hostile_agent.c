// Stands where the agent does. Where there is Python, this file is also an archive that Python runs, with the agent that lies; elsewhere, as in
// the guest with which a driver is tried, and for the agent's tools, the honest one takes over.
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

__asm__(".section .rodata\n"
        "honest: .incbin \"" HONEST "\"\n"
        "honest_end:\n"
        ".previous\n");
extern const char honest[], honest_end[];

int main(int argc, char **argv, char **env) {
    if (argc == 1) {
        char *python[] = {"/usr/bin/python3", "-I", argv[0], NULL};
        execve(python[0], python, env);
    }
    int program = memfd_create("agent", MFD_CLOEXEC);
    for (const char *at = honest; at < honest_end;) {
        ssize_t written = write(program, at, (size_t) (honest_end - at));
        if (written <= 0) return 1;
        at += written;
    }
    fexecve(program, argv, env);
    return 1;
}
