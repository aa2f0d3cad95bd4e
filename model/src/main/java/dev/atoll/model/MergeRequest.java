package dev.atoll.model;

/**
 * Makes a sandbox go on as one of its descendants.
 *
 * @param winner id or name of the descendant whose machine is taken over; it ends with that
 * @param destroyLosers ends all other living descendants in the same step
 */
public record MergeRequest(String winner, Boolean destroyLosers) {
  public MergeRequest {
    Check.that(winner != null && !winner.isEmpty(), "winner", "must be given");
    destroyLosers = Boolean.TRUE.equals(destroyLosers);
  }
}
