// The program that the agent is, as memory of its own.
#pragma once

// Takes the code and data of this program away from the file that they were loaded from: root of a guest can write to that file, and gVisor,
// which knows no ETXTBSY, would let a running program change with it. Ends the agent when that cannot be done.
void own_image(void);
