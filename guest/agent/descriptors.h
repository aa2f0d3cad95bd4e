// Open descriptors of a forked child.
#pragma once

void descriptors_close_all_but(const int *keep, int count);
