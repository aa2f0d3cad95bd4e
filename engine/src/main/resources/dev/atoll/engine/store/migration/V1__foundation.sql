CREATE TABLE sandboxes (
  id            TEXT PRIMARY KEY,
  project       TEXT NOT NULL,
  name          TEXT,
  state         TEXT NOT NULL,
  reason        TEXT,
  template      TEXT NOT NULL,
  digest        TEXT NOT NULL,
  driver        TEXT NOT NULL,
  isolation     TEXT NOT NULL,
  cpus          REAL NOT NULL,
  memory_mib    INTEGER NOT NULL,
  disk_mib      INTEGER NOT NULL,
  processes     INTEGER NOT NULL,
  env           TEXT NOT NULL,
  metadata      TEXT NOT NULL,
  persistent    INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER NOT NULL,
  expires_at    INTEGER,
  idle_timeout  INTEGER,
  ended_at      INTEGER
);

-- A name belongs to one living sandbox of a project; ended ones leave it free.
CREATE UNIQUE INDEX sandboxes_living_name ON sandboxes (project, name)
  WHERE name IS NOT NULL AND state IN ('creating', 'running', 'paused', 'hibernated');

CREATE INDEX sandboxes_by_age ON sandboxes (project, created_at DESC, id DESC);

CREATE TABLE idempotency (
  project     TEXT NOT NULL,
  key         TEXT NOT NULL,
  request     TEXT NOT NULL,
  sandbox     TEXT NOT NULL,
  created_at  INTEGER NOT NULL,
  PRIMARY KEY (project, key)
);

CREATE TABLE api_keys (
  id            TEXT PRIMARY KEY,
  project       TEXT NOT NULL,
  name          TEXT NOT NULL,
  prefix        TEXT NOT NULL,
  hash          TEXT NOT NULL UNIQUE,
  created_at    INTEGER NOT NULL,
  last_used_at  INTEGER
);
