-- The keys that sign tokens, so that a restart and every process of the service use the same ones.
-- key_id is the RFC 7638 thumbprint of the public key.
create table if not exists signing_keys (
  key_id text primary key,
  private_key_pem text not null,
  created_at timestamptz not null default now()
);
