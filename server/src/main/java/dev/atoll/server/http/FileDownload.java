package dev.atoll.server.http;

import dev.atoll.engine.FileContent;
import dev.atoll.model.AtollException;
import dev.atoll.model.ErrorCode;
import dev.atoll.model.FileEntry;
import dev.atoll.model.FileKind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.eclipse.jetty.http.DateGenerator;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;

/**
 * Sends a file of a sandbox, whole or a range of it. Needs one buffer, however large the file.
 *
 * <p>The content comes from a sandbox and is never shown as a page: it is an attachment of
 * unspecific type that browsers may not sniff.
 */
final class FileDownload {
  private static final int BUFFER = 64 << 10;

  /** Opens the file from an offset; length 0 means to the end. */
  @FunctionalInterface
  interface Source {
    FileContent read(String path, long offset, long length);
  }

  private final Exchange exchange;
  private final String path;
  private final Source source;

  FileDownload(Exchange exchange, String path, Source source) {
    this.exchange = exchange;
    this.path = path;
    this.source = source;
  }

  void send() throws IOException {
    if (exchange.isHead() || exchange.header("Range") != null) {
      sendPart(describe());
    } else {
      sendWhole();
    }
  }

  private void sendWhole() throws IOException {
    try (FileContent content = source.read(path, 0, 0)) {
      FileEntry entry = requireFile(content.entry());
      addHeaders(entry);
      if (unchanged(entry)) {
        return;
      }
      exchange.response().setStatus(200);
      // Files of /proc claim to be empty and are not.
      if (entry.size() > 0) {
        exchange.response().getHeaders().put(HttpHeader.CONTENT_LENGTH, entry.size());
        copy(content.stream(), exchange, entry.size());
      } else {
        copy(content.stream(), exchange, Long.MAX_VALUE);
      }
    }
  }

  private void sendPart(FileEntry entry) throws IOException {
    addHeaders(entry);
    if (unchanged(entry)) {
      return;
    }
    Optional<ByteRange> range =
        rangeApplies(entry)
            ? ByteRange.parse(String.valueOf(exchange.header("Range")), entry.size())
            : Optional.empty();
    HttpFields.Mutable headers = exchange.response().getHeaders();
    long length = range.map(ByteRange::length).orElse(entry.size());
    exchange.response().setStatus(range.isPresent() ? 206 : 200);
    headers.put(HttpHeader.CONTENT_LENGTH, length);
    range.ifPresent(r -> headers.put(HttpHeader.CONTENT_RANGE, r.header(entry.size())));
    if (exchange.isHead() || length == 0) {
      exchange.finish(ByteBuffer.allocate(0));
      return;
    }
    long offset = range.map(ByteRange::offset).orElse(0L);
    try (FileContent content = source.read(path, offset, length)) {
      copy(content.stream(), exchange, length);
    }
  }

  /** What a read would give: other than stat it follows links and needs the right to read. */
  private FileEntry describe() {
    try (FileContent content = source.read(path, 0, 1)) {
      return requireFile(content.entry());
    }
  }

  private FileEntry requireFile(FileEntry entry) {
    if (entry.kind() == FileKind.DIRECTORY) {
      throw new AtollException(
          ErrorCode.IS_A_DIRECTORY,
          path + " is a directory",
          "List it with /files/list or fetch it with /files/tar.");
    }
    return entry;
  }

  private void addHeaders(FileEntry entry) {
    HttpFields.Mutable headers = exchange.response().getHeaders();
    headers.put(HttpHeader.CONTENT_TYPE, "application/octet-stream");
    headers.put(HttpHeader.CONTENT_DISPOSITION, Attachment.header(entry.name()));
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put(HttpHeader.ACCEPT_RANGES, "bytes");
    headers.put(HttpHeader.ETAG, etag(entry));
    headers.put(
        HttpHeader.LAST_MODIFIED, DateGenerator.formatDate(entry.modifiedAt().toEpochMilli()));
    headers.put(HttpHeader.CACHE_CONTROL, "private, no-cache");
  }

  private boolean unchanged(FileEntry entry) {
    String known = exchange.header("If-None-Match");
    if (known == null || !known.contains(etag(entry))) {
      return false;
    }
    exchange.response().setStatus(304);
    exchange.finish(ByteBuffer.allocate(0));
    return true;
  }

  /** Part of a file is of no use to a caller whose other parts are from an older version. */
  private boolean rangeApplies(FileEntry entry) {
    String condition = exchange.header("If-Range");
    return exchange.header("Range") != null
        && !exchange.isHead()
        && (condition == null || condition.equals(etag(entry)));
  }

  private static String etag(FileEntry entry) {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, entry.modifiedAt());
    return "\"" + Long.toHexString(micros) + "-" + Long.toHexString(entry.size()) + "\"";
  }

  /**
   * Copies to the answer and ends it.
   *
   * @param length how much was announced; {@link Long#MAX_VALUE} when nothing was
   */
  static void copy(InputStream from, Exchange exchange, long length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long left = length;
    while (left > 0) {
      int count = from.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (count < 0) {
        break;
      }
      left -= count;
      Content.Sink.write(exchange.response(), false, ByteBuffer.wrap(buffer, 0, count));
    }
    if (left > 0 && length != Long.MAX_VALUE) {
      throw new EOFException("the file shrank while it was read, " + left + " bytes are missing");
    }
    exchange.finish(ByteBuffer.allocate(0));
  }
}
