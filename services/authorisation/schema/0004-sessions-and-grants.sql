-- What oidc-provider stores between requests: sessions, grants, codes, refresh tokens, pushed
-- requests and others, a row each.
create table if not exists provider_records (
  -- oidc-provider's name for the kind of record, such as Session.
  model text not null,
  -- The SHA-256 of the ID. Whoever has the ID can use the record, so the ID itself is not stored.
  id_hash bytea not null check (octet_length(id_hash) = 32),
  -- Not jsonb: the text must come back unchanged, and jsonb refuses U+0000, which anybody may send.
  payload json not null check (octet_length(payload::text) <= 65536),
  expires_at timestamptz,
  consumed_at timestamptz,
  -- The grant that the record is or rests on.
  grant_id text,
  uid text,
  user_code text,
  account_id text,
  client_id text,
  -- The address that a record came from which anybody can make without signing in. How many of
  -- these are pending is limited, for each address and each client. Other records have none.
  address text,
  primary key (model, id_hash)
) with (
  -- Many records live for a minute.
  autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02
);

create index if not exists provider_records_by_grant
  on provider_records (grant_id) where grant_id is not null;

create index if not exists provider_records_by_uid
  on provider_records (uid) where uid is not null;

create index if not exists provider_records_by_user_code
  on provider_records (user_code) where user_code is not null;

create index if not exists provider_records_by_account
  on provider_records (account_id) where account_id is not null;

-- Also counts the pending records of a client.
create index if not exists provider_records_by_client
  on provider_records (client_id, model, expires_at) where client_id is not null;

create index if not exists provider_records_by_expiry
  on provider_records (expires_at) where expires_at is not null;

-- By the session at another provider in which a session began: model/session.ts.
create index if not exists provider_records_by_acr
  on provider_records ((payload->>'acr')) where model = 'Session';

create index if not exists provider_records_pending_by_address
  on provider_records (address, model, expires_at) where address is not null;

-- What people have allowed clients, so that they are asked once. Consents outlive sessions.
create table if not exists consents (
  account_id uuid not null references accounts on delete cascade,
  client_id uuid not null references clients on delete cascade,
  -- A resource server; empty: the scopes of OpenID Connect.
  resource text not null check (char_length(resource) <= 2048),
  scopes text[] not null,
  -- When the person first consented.
  given_at timestamptz not null default now(),
  primary key (account_id, client_id, resource)
);

create index if not exists consents_by_client on consents (client_id);

-- Which clients to tell that a session has ended (OpenID Connect Back-Channel Logout 1.0). A row is
-- added in the transaction that ends the session, perhaps of a command. A process of the service
-- removes it, and tells the client.
create table if not exists logout_notices (
  client_id uuid not null references clients on delete cascade,
  -- The claim by which the client knows the session.
  sid text not null,
  subject text not null,
  logout_uri text not null,
  primary key (client_id, sid)
);
