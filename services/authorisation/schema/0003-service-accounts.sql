-- Service accounts: programs that have no secret and get tokens for an assertion (RFC 7523).
create table if not exists service_accounts (
  service_account_id uuid primary key,
  application_id text not null references applications,
  name text not null check (char_length(name) <= 128),
  scopes text[] not null,
  -- Verifies the account's assertions. No other account has this key.
  public_key_pem text not null,
  -- The `jti` of the account's one assertion, whose private key was discarded after it had signed
  -- the assertion. Null: the account has the private key, and signs its own assertions.
  assertion_id uuid,
  assertion_expires_at timestamptz,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint service_accounts_assertion_check
    check ((assertion_id is null) = (assertion_expires_at is null))
);

create index if not exists service_accounts_by_application on service_accounts (application_id);

-- The used ones of the assertions that accounts sign themselves: each is valid for one token. A row
-- is kept until its assertion has expired.
create table if not exists used_assertions (
  service_account_id uuid not null references service_accounts on delete cascade,
  assertion_id_hash bytea not null check (octet_length(assertion_id_hash) = 32),
  expires_at timestamptz not null,
  primary key (service_account_id, assertion_id_hash)
);

create index if not exists used_assertions_by_expiry on used_assertions (expires_at);
