-- Versions of templates that projects have built; what comes with the server has no rows.
CREATE TABLE templates (
  project      TEXT NOT NULL,
  name         TEXT NOT NULL,
  version      INTEGER NOT NULL,
  digest       TEXT NOT NULL,
  description  TEXT,
  recipe       TEXT NOT NULL,
  size_bytes   INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (project, name, version)
);
CREATE INDEX templates_by_digest ON templates (digest);

CREATE TABLE template_tags (
  project  TEXT NOT NULL,
  name     TEXT NOT NULL,
  tag      TEXT NOT NULL,
  version  INTEGER NOT NULL,
  PRIMARY KEY (project, name, tag)
);

-- Other projects that may use a template.
CREATE TABLE template_shares (
  project      TEXT NOT NULL,
  name         TEXT NOT NULL,
  shared_with  TEXT NOT NULL,
  PRIMARY KEY (project, name, shared_with)
);

CREATE TABLE template_builds (
  id          TEXT PRIMARY KEY,
  project     TEXT NOT NULL,
  name        TEXT NOT NULL,
  state       TEXT NOT NULL,
  version     INTEGER,
  message     TEXT,
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER
);
CREATE INDEX template_builds_by_name ON template_builds (project, name, started_at);
