/**
 * Checkpoint images on disk: stored as layers that relatives share, assembled for a restore, and
 * carried to other hosts as one file.
 *
 * <p>Start at {@link dev.atoll.engine.image.ImageStore}. Internal to the engine. It knows files
 * only: what a checkpoint means is the driver's business, which images there should be is the
 * database's.
 *
 * <pre>
 * manifests/ID         which bytes the image consists of; the image exists exactly when this does
 * whole/ID/            the files as the driver wrote them; truth while a manifest refers to them,
 *                      otherwise a copy that is ready to restore
 * layers/ID            the pages of a compacted image that its parent did not have
 * copies/BOOT/ID/      files assembled from layers since this boot of the host; never synced, so
 *                      those of an earlier boot are not trusted
 * .new-ID/, .old-N     being made, being removed
 * </pre>
 *
 * <p>A manifest names the place of every byte directly, so a long line of descent costs a reader
 * nothing. Who refers to what is counted from the manifests when the store is opened and is never
 * written down, so it cannot be wrong. Every change is one rename or one removal of a manifest;
 * what it refers to is on disk before, what it no longer refers to is removed after.
 */
@NullMarked
package dev.atoll.engine.image;

import org.jspecify.annotations.NullMarked;
