-- Programs that get tokens, for themselves or for people.
create table if not exists clients (
  client_id uuid primary key,
  application_id text not null references applications,
  name text not null check (char_length(name) <= 128),
  -- A public client has no secret and no key. Every other client has one or two secrets, or a key.
  is_public boolean not null,
  -- The key with which the client signs its assertions (private_key_jwt), as SPKI in PEM.
  public_key_pem text,
  scopes text[] not null,
  grant_types text[] not null default '{client_credentials}',
  redirect_uris text[] not null default '{}',
  post_logout_redirect_uris text[] not null default '{}',
  -- Where the service tells the client that a session has ended.
  back_channel_logout_uri text,
  -- A native application (RFC 8252), which runs on people's devices.
  is_native boolean not null default false,
  -- People are not asked for their consent.
  is_first_party boolean not null default false,
  -- People of every organisation may use the client. The tokens that it gets for itself are of its
  -- own organisation.
  is_for_any_organisation boolean not null default false,
  created_at timestamptz not null default now(),
  -- The client gets no tokens until it is enabled again. Null: it is enabled.
  disabled_at timestamptz,
  constraint clients_native_check check (not is_native or is_public)
);

create index if not exists clients_by_application on clients (application_id);

-- The secrets of clients, by their hashes. A client has two while it changes from one to the other.
create table if not exists client_secrets (
  secret_id uuid primary key default gen_random_uuid(),
  client_id uuid not null references clients on delete cascade,
  -- HMAC-SHA-256 of a generated secret, which has 256 random bits: a fast hash is enough. scrypt
  -- (in PHC form) of a secret that a person chose.
  hash text not null check (hash like '$scrypt$%' or hash like '$hmac-sha256$%'),
  created_at timestamptz not null default now()
);

create index if not exists client_secrets_by_client on client_secrets (client_id, created_at);
