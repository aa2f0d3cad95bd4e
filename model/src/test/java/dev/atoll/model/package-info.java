/** Tests of the model. */
@NullMarked
package dev.atoll.model;

import org.jspecify.annotations.NullMarked;
