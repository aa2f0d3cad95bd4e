-- What signed URLs of a sandbox's files are bound to besides what they say; without a row none is good.
CREATE TABLE file_urls (
  sandbox  TEXT PRIMARY KEY,
  nonce    TEXT NOT NULL
);
