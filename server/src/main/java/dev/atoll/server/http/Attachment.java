package dev.atoll.server.http;

/** The Content-Disposition of a download. File names come from sandboxes and may hold anything. */
final class Attachment {
  private Attachment() {}

  static String header(String name) {
    String plain = name.replaceAll("[^A-Za-z0-9._ -]", "_");
    String safe = plain.isBlank() ? "file" : plain;
    return safe.equals(name)
        ? "attachment; filename=\"" + safe + "\""
        : "attachment; filename=\"" + safe + "\"; filename*=UTF-8''" + PercentCoding.encode(name);
  }
}
