-- Values are sealed with a key that is not in this database; key says which one.
CREATE TABLE secrets (
  project      TEXT NOT NULL,
  name         TEXT NOT NULL,
  domains      TEXT NOT NULL,
  header       TEXT,
  query        TEXT,
  env          TEXT NOT NULL,
  placeholder  TEXT NOT NULL,
  key          TEXT NOT NULL,
  sealed       BLOB NOT NULL,
  created_at   INTEGER NOT NULL,
  changed_at   INTEGER NOT NULL,
  PRIMARY KEY (project, name)
);

-- What signs for the domains of a project's secrets, to its own sandboxes. The private key is sealed.
CREATE TABLE authorities (
  project      TEXT PRIMARY KEY,
  certificate  BLOB NOT NULL,
  key          TEXT NOT NULL,
  sealed       BLOB NOT NULL,
  created_at   INTEGER NOT NULL
);

-- The names of the secrets that a sandbox may use, and of those that a connection was given.
ALTER TABLE sandboxes ADD COLUMN secrets TEXT;
ALTER TABLE connections ADD COLUMN secrets TEXT;
