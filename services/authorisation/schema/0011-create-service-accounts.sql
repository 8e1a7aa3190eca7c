-- Service accounts: programs that get tokens for an assertion (RFC 7523), and have no secret. The
-- key is the public half of a pair that is the account's alone. With an assertion_id, the private
-- half has signed that one assertion and was thrown away; without, the account signs its own.
create table if not exists service_accounts (
  service_account_id uuid primary key,
  application_id text not null references applications,
  name text not null check (char_length(name) <= 128),
  scopes text[] not null,
  public_key_pem text not null,
  assertion_id uuid,
  assertion_expires_at timestamptz,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint service_accounts_assertion_check
    check ((assertion_id is null) = (assertion_expires_at is null))
);

create index if not exists service_accounts_by_application on service_accounts (application_id);

-- The assertions that accounts have signed themselves and used: each is good for one token. The
-- row is needed no longer than the assertion is good.
create table if not exists used_assertions (
  service_account_id uuid not null references service_accounts on delete cascade,
  assertion_id_hash bytea not null check (octet_length(assertion_id_hash) = 32),
  expires_at timestamptz not null,
  primary key (service_account_id, assertion_id_hash)
);

create index if not exists used_assertions_by_expiry on used_assertions (expires_at);
