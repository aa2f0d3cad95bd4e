/**
 * What Atoll is made of and what is known against it: {@link dev.atoll.supply.Sbom} writes the
 * list, {@link dev.atoll.supply.Advisories} looks it up in a database on this machine. Nothing here
 * is part of the product.
 */
@NullMarked
package dev.atoll.supply;

import org.jspecify.annotations.NullMarked;
