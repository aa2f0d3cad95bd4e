-- Ports that everybody may reach; all others are private.
CREATE TABLE public_ports (
  sandbox   TEXT NOT NULL,
  port      INTEGER NOT NULL,
  PRIMARY KEY (sandbox, port)
);

-- Tokens to single ports, of which only a hash is kept.
CREATE TABLE port_shares (
  id          TEXT PRIMARY KEY,
  sandbox     TEXT NOT NULL,
  port        INTEGER NOT NULL,
  hash        TEXT NOT NULL UNIQUE,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER NOT NULL
);

CREATE INDEX port_shares_by_sandbox ON port_shares (sandbox, created_at);
