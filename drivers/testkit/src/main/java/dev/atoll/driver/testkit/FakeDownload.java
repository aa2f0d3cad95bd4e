package dev.atoll.driver.testkit;

/** A file on its way out of a fake guest; the channel is there until all of it is sent. */
final class FakeDownload implements FakeJob {
  @Override
  public void writable(FakeGuest guest, FakeChannel channel) {
    if (!channel.full()) {
      guest.state().channels.remove(channel.id);
    }
  }
}
