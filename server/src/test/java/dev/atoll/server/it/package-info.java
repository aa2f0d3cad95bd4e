/** The real server in a process of its own, real gVisor, the real SDK. */
@NullMarked
package dev.atoll.server.it;

import org.jspecify.annotations.NullMarked;
