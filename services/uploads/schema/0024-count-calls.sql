-- With RATE_LIMIT_STORE=postgres, all servers count calls together: one row for each tenant and
-- client that called in the last hour. The columns are those that rate-limiter-flexible needs, in
-- its order. A crash may lose the counts, so they need no write-ahead log.
create unlogged table if not exists uploads.call_counts (
  key text primary key,
  points integer not null,
  expire bigint not null
);
