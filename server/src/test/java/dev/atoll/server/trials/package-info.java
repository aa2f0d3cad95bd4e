/**
 * Programs that nobody here wrote, in real sandboxes: packages of PyPI, CPython's own tests, cells
 * of a notebook beside ipykernel, clients of the Model Context Protocol. A short form runs with the
 * other tests; {@code ./atoll trials} runs all of it. What is tried, and what is known to differ
 * and why, is in {@code src/test/resources/trials}. Tests of Atoll's own behaviour do not belong
 * here.
 */
@NullMarked
package dev.atoll.server.trials;

import org.jspecify.annotations.NullMarked;
