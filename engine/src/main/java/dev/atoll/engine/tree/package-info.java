/**
 * Everything that the host does in a tree of files that somebody else wrote: the root file system
 * of a template, a layer, what came with a snapshot.
 *
 * <p>Start at {@link dev.atoll.engine.tree.ForeignTree}, which finds places in a tree as a process
 * would that has it as its root, and at {@link dev.atoll.engine.tree.TreeDirectory}, one open
 * directory. Both work on descriptors: the kernel is only ever given one name in a directory that
 * is open, and follows no link. No path of the host is ever made of names that a stranger chose, so
 * there is nothing that could become a link between a check and a use.
 *
 * <p>Names and paths are text in which each character is one byte, 0 to 255: names on Linux are
 * bytes, and as strings Java loses those that the locale of the process cannot express.
 */
@NullMarked
package dev.atoll.engine.tree;

import org.jspecify.annotations.NullMarked;
