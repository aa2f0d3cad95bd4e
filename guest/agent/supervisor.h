// A supervisor stands between the agent and each process it starts: it adopts whatever that process leaves behind, so that "every descendant"
// is an exact notion however a program detaches itself.
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "wire.h"

// What to run; pointers need to live only until supervisor_start returns.
struct launch {
    char *const *argv;
    const char *user;
    const char *cwd;
    // Variables beyond the base ones; later lists win.
    Variable *const *env;
    size_t env_count;
    // Descriptors of the child; -1: /dev/null. control is for kernels and lands on 3 and 4.
    int in, out, err, control_in, control_out;
    // True: `in` is the slave end of a terminal.
    int terminal;
    // NULL: none.
    const Atoll__Agent__Bounds *bounds;
};

// CLEARED: after ORDER_SIGNAL_LEFTOVERS with SIGKILL nothing is left but the target.
enum report_type { REPORT_STARTED = 1, REPORT_FAILED, REPORT_EXITED, REPORT_CLEARED };

// Supervisor to agent, each written at once.
struct report {
    int32_t type;
    // STARTED: pid. FAILED: reason. EXITED: wait status.
    int32_t value;
    uint64_t cpu_micros;
    uint64_t max_rss_bytes;
    // Of a process with bounds: how long it ran, and which of them it passed, as Exit.Reason.
    uint64_t wall_micros;
    int32_t passed;
    char message[200];
};

enum order_type {
    ORDER_SIGNAL = 1,
    ORDER_INTERRUPT,
    ORDER_INTERRUPT_OVER,
    ORDER_INTERRUPT_BY,
    ORDER_SERVED_BY,
    ORDER_SIGNAL_TREE,
    ORDER_SIGNAL_LEFTOVERS,
};

// Agent to supervisor. Closing the pipe is the order to kill everything.
struct order {
    int32_t type;
    // INTERRUPT: a harmless signal for the target soon after the interrupt; 0: none. INTERRUPT_OVER: it has had its effect.
    // INTERRUPT_BY: what interrupts the target itself, if not SIGINT. SERVED_BY: the process of the target's group that does its work from now on.
    int32_t signal;
};

// Forks the supervisor. Returns its pid, or -1; *reports and *orders are the agent's ends of the two pipes.
pid_t supervisor_start(const struct launch *launch, int *reports, int *orders);

// The supervisor itself: for a process that was forked ahead.
_Noreturn void supervisor_run(const struct launch *launch, int reports, int orders);
