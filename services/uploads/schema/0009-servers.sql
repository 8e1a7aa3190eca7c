-- What servers share apart from the index.

-- The secrets that sign cursors and links. The first server that needs one makes it.
create table if not exists uploads.server_keys (
  name text primary key,
  key bytea not null
);

-- Calls of each client and organisation, if RATE_LIMIT_STORE is postgres. rate-limiter-flexible
-- needs these columns in this order. A crash may lose the counts, so they need no write-ahead log.
create unlogged table if not exists uploads.call_counts (
  key text primary key,
  points integer not null,
  expire bigint not null
);
