// What this program does when it is started by name inside a guest instead of being its first process: list and pack files, so that nothing of the
// guest's own programs is needed for it.
#pragma once

enum { TOOL_OK = 0, TOOL_SOME_FAILED = 1, TOOL_FAILED = 2 };

// Lists everything below root on stdout, sorted: one record for each file, NUL behind it. Files that cannot be looked at are left out.
int walk_tool(const char *root);

// Writes a tar archive (POSIX) to stdout: of the files whose names come on stdin, relative to root, NUL behind each. What is gone is left out.
int pack_tool(const char *root);
