package dev.atoll.driver.testkit;

import dev.atoll.protocol.wire.Frame;
import java.io.Serializable;

/**
 * What happens behind a channel. Called with the guest's lock held; never blocks: a job that waits
 * returns, and is woken by what it waits for.
 */
interface FakeJob extends Serializable {

  /** The channel is open and has said so. */
  default void begin(FakeGuest guest, FakeChannel channel) {}

  /** The host has answered what a channel of the guest was opened with. */
  default void answer(FakeGuest guest, FakeChannel channel, Frame answer) {}

  /** The host has closed the channel. */
  default void closed(FakeGuest guest, FakeChannel channel) {}

  /** Bytes came from the host. */
  default void input(FakeGuest guest, FakeChannel channel, byte[] bytes) {}

  /** No more bytes will come. */
  default void endOfInput(FakeGuest guest, FakeChannel channel) {}

  /** The time that it asked for has passed. */
  default void awake(FakeGuest guest, FakeChannel channel) {}

  /** The guest was restored. */
  default void restored(FakeGuest guest, FakeChannel channel) {}

  /** There is credit for more output. */
  default void writable(FakeGuest guest, FakeChannel channel) {}
}
