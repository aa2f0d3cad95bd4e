-- spec is that of the revision that serves, with what was changed since; the program itself is in the revision's snapshot.
CREATE TABLE services (
  id          TEXT PRIMARY KEY,
  project     TEXT NOT NULL,
  name        TEXT NOT NULL,
  spec        TEXT NOT NULL,
  revision    INTEGER NOT NULL,
  deleting    INTEGER NOT NULL DEFAULT 0,
  created_at  INTEGER NOT NULL
);
CREATE UNIQUE INDEX services_name ON services (project, name);

-- The name of a revision's snapshot is written before the snapshot is taken.
CREATE TABLE service_revisions (
  service     TEXT NOT NULL,
  number      INTEGER NOT NULL,
  state       TEXT NOT NULL,
  spec        TEXT NOT NULL,
  snapshot    TEXT NOT NULL,
  message     TEXT,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (service, number)
);

-- The name of an instance is written before its sandbox is made.
CREATE TABLE service_instances (
  name      TEXT PRIMARY KEY,
  service   TEXT NOT NULL,
  revision  INTEGER NOT NULL,
  sandbox   TEXT
);
