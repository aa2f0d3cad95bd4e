-- The revision that served before, whose snapshot is kept so that it can serve again; 0 when there is none.
ALTER TABLE services ADD COLUMN previous INTEGER NOT NULL DEFAULT 0;
