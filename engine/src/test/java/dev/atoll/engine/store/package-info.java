/** Tests of the database. */
@NullMarked
package dev.atoll.engine.store;

import org.jspecify.annotations.NullMarked;
