-- Where besides headers for credentials a secret's placeholder is replaced: a list of words as JSON.
ALTER TABLE secrets ADD COLUMN replace_in TEXT NOT NULL DEFAULT '[]';
