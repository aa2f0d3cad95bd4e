-- What no sandbox of a project can exceed on the network; the settings' ceiling where there is no row.
CREATE TABLE project_ceilings (
  project  TEXT PRIMARY KEY,
  ceiling  TEXT NOT NULL
);

-- Whether a key may do what concerns more than its own project.
ALTER TABLE api_keys ADD COLUMN administrator INTEGER NOT NULL DEFAULT 0;
