-- What the library that speaks OAuth and OpenID Connect keeps between requests: sessions, grants,
-- codes, refresh tokens, pushed requests and the like, one row each. An ID is what its bearer
-- shows, so only its SHA-256 is kept. The payload is json and not jsonb: it must come back as it
-- was, and jsonb takes no U+0000, which anybody may send.
create table if not exists provider_records (
  model text not null,
  id_hash bytea not null check (octet_length(id_hash) = 32),
  payload json not null check (octet_length(payload::text) <= 65536),
  expires_at timestamptz,
  consumed_at timestamptz,
  grant_id text,
  uid text,
  user_code text,
  account_id text,
  client_id text,
  primary key (model, id_hash)
);

create index if not exists provider_records_by_grant
  on provider_records (grant_id) where grant_id is not null;

create index if not exists provider_records_by_uid
  on provider_records (uid) where uid is not null;

create index if not exists provider_records_by_user_code
  on provider_records (user_code) where user_code is not null;

create index if not exists provider_records_by_account
  on provider_records (account_id) where account_id is not null;

create index if not exists provider_records_by_expiry
  on provider_records (expires_at) where expires_at is not null;
