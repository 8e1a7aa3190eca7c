-- A client can have two secrets while it changes from one to the other. Programs of the version
-- before compare clients.secret_hash, which still says whether a client has a secret at all.
create table if not exists client_secrets (
  secret_id uuid primary key default gen_random_uuid(),
  client_id uuid not null references clients on delete cascade,
  -- A generated secret has 256 random bits: a fast hash is enough. People choose the others.
  hash text not null check (hash like '$scrypt$%' or hash like '$hmac-sha256$%'),
  -- Whether a person chose the secret. False also if that is not known.
  is_chosen boolean not null default false,
  created_at timestamptz not null default now()
);

create index if not exists client_secrets_by_client on client_secrets (client_id, created_at);

insert into client_secrets (client_id, hash, created_at)
select client_id, secret_hash, created_at from clients
where secret_hash is not null
  and not exists (select from client_secrets earlier where earlier.client_id = clients.client_id);
