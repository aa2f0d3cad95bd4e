-- The machine that a sandbox runs in, which is another one after a merge, a rewind or a sleep; and, while it is
-- hibernated, the image that holds it.
ALTER TABLE sandboxes ADD COLUMN machine TEXT;
ALTER TABLE sandboxes ADD COLUMN image TEXT;
ALTER TABLE sandboxes ADD COLUMN on_idle TEXT NOT NULL DEFAULT 'terminate';
ALTER TABLE sandboxes ADD COLUMN checkpoints TEXT;
ALTER TABLE sandboxes ADD COLUMN fork_ahead INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sandboxes ADD COLUMN parent TEXT;
ALTER TABLE sandboxes ADD COLUMN tree TEXT;
ALTER TABLE sandboxes ADD COLUMN snapshot TEXT;
ALTER TABLE sandboxes ADD COLUMN pool TEXT;
UPDATE sandboxes SET machine = id, tree = id;
CREATE INDEX sandboxes_by_tree ON sandboxes (tree);

CREATE TABLE snapshots (
  id              TEXT PRIMARY KEY,
  project         TEXT NOT NULL,
  name            TEXT,
  kind            TEXT NOT NULL,
  state           TEXT NOT NULL,
  automatic       INTEGER NOT NULL,
  sandbox         TEXT NOT NULL,
  tree            TEXT NOT NULL,
  parent          TEXT,
  run             TEXT,
  note            TEXT,
  template        TEXT NOT NULL,
  digest          TEXT NOT NULL,
  isolation       TEXT NOT NULL,
  driver          TEXT NOT NULL,
  driver_version  TEXT NOT NULL,
  cpus            REAL NOT NULL,
  memory_mib      INTEGER NOT NULL,
  disk_mib        INTEGER NOT NULL,
  processes       INTEGER NOT NULL,
  env             TEXT NOT NULL,
  labels          TEXT NOT NULL,
  created_at      INTEGER NOT NULL,
  total_bytes     INTEGER NOT NULL,
  own_bytes       INTEGER NOT NULL
);

CREATE UNIQUE INDEX snapshots_name ON snapshots (project, name) WHERE name IS NOT NULL;
CREATE INDEX snapshots_by_age ON snapshots (project, created_at DESC, id DESC);
CREATE INDEX snapshots_by_tree ON snapshots (tree);

CREATE TABLE pools (
  id          TEXT PRIMARY KEY,
  project     TEXT NOT NULL,
  name        TEXT,
  spec        TEXT NOT NULL,
  created_at  INTEGER NOT NULL
);

CREATE UNIQUE INDEX pools_name ON pools (project, name) WHERE name IS NOT NULL;
