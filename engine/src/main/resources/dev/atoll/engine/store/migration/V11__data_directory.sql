-- The data directory that this database belongs to; a file of the directory has the same id.
CREATE TABLE data_directory (
  id  TEXT NOT NULL
);

-- Images that were made here, until a start finds them gone: what is not among them is not for the sweeper to remove.
CREATE TABLE images (
  id  TEXT PRIMARY KEY
);
INSERT INTO images SELECT id FROM snapshots;
INSERT OR IGNORE INTO images SELECT image FROM sandboxes WHERE image IS NOT NULL;
