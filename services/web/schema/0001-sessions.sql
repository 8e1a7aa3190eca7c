-- People who are signed in on the page. The browser has a random ID, of which this table has the
-- SHA-256. The tokens are encrypted with a key that is not in the database.
create table if not exists sessions (
  session_hash bytea primary key check (octet_length(session_hash) = 32),
  subject text not null,
  -- The session at the issuer (sid), with which it tells us of a logout.
  issuer_session_id text,
  name text,
  login_name text,
  email text,
  encryption_key_id text not null,
  sealed_tokens bytea not null,
  access_expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now()
);

create index if not exists sessions_subject on sessions (subject, created_at);
create index if not exists sessions_issuer_session on sessions (issuer_session_id);
create index if not exists sessions_last_used on sessions (last_used_at);
create index if not exists sessions_created on sessions (created_at);
