@NullMarked
package dev.atoll.engine.files;

import org.jspecify.annotations.NullMarked;
