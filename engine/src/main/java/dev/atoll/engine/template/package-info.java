/**
 * Templates: recipes, the root file systems built from them, and the checkpoints that sandboxes
 * start from.
 *
 * <p>Start at {@link dev.atoll.engine.template.TemplateBuilder}. Internal to the engine. Everything
 * built is addressed by the digest of what it was built from and never changed afterwards.
 */
@NullMarked
package dev.atoll.engine.template;

import org.jspecify.annotations.NullMarked;
