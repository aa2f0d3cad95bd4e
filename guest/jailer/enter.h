// Commands in a world that is there already.
#pragma once

#include "world.h"

// Enters the namespaces of the first process of a world, found among the members of a control group: nothing that runs in the group can pass for it. Children of the caller are in all of them then.
void enter_world(const struct world *world, const char *group);

// In a child: becomes root of the world's user namespace, for a command that starts as others do there.
void enter_settle(void);
