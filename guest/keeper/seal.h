// Takes from the keeper what it does not need for carrying bytes between descriptors that are open.
#pragma once

#include <sys/types.h>

// Another user where that is not 0, a root with nothing in it where that is not NULL, no_new_privs, and a filter that ends the process at any system call but the few that the relay makes. False with errno set.
int seal(uid_t user, const char *root);
