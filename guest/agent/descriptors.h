// What a forked child closes, and how the agent's own ends of pipes behave.
#pragma once

// Closes every descriptor but these; negative ones are none. Ends the process when that cannot be done.
void descriptors_close_all_but(const int *keep, int count);

// The agent must never wait for one of its pipes. Ends the agent when it might.
void descriptors_never_block(int fd);
