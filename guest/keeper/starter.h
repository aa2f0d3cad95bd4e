// The first process of a machine's namespaces.
#pragma once

struct starter_ends {
    int in, out, log, control, nothing;
};

// Called before the starter is made: what is its own, and the keeper's four ends, which it closes.
void starter_prepare(const struct starter_ends *ends, const int others[4]);
