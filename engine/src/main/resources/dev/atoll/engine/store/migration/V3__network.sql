-- What sandboxes wanted from the network. duration is null while a connection is open.
CREATE TABLE connections (
  id        TEXT PRIMARY KEY,
  time      INTEGER NOT NULL,
  sandbox   TEXT NOT NULL,
  project   TEXT NOT NULL,
  name      TEXT NOT NULL,
  address   TEXT,
  port      INTEGER NOT NULL,
  way       TEXT NOT NULL,
  verdict   TEXT NOT NULL,
  rule      TEXT NOT NULL,
  reason    TEXT,
  sent      INTEGER NOT NULL,
  received  INTEGER NOT NULL,
  duration  INTEGER
);

CREATE INDEX connections_by_project ON connections (project, time DESC, id DESC);
CREATE INDEX connections_by_sandbox ON connections (sandbox, time DESC, id DESC);
CREATE INDEX connections_by_age ON connections (time);
CREATE INDEX connections_open ON connections (id) WHERE duration IS NULL;

-- What a sandbox may reach; those made before there was a network reach nothing.
ALTER TABLE sandboxes ADD COLUMN network TEXT;
