-- What a project may have; what is not said there is as the settings say.
CREATE TABLE project_quotas (
  project  TEXT PRIMARY KEY,
  limits   TEXT NOT NULL
);
