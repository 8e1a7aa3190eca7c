-- The keys that sign tokens. The state of a key follows from its times, so that all processes
-- change keys at the same moment.
create table if not exists signing_keys (
  -- The RFC 7638 thumbprint of the public key.
  key_id text primary key,
  public_key_pem text not null,
  -- Encrypted with a key that is not in the database. Erased when the key leaves the key set.
  encrypted_private_key bytea,
  encryption_key_id text,
  created_at timestamptz not null default now(),
  signs_from timestamptz not null default now(),
  -- When the next key takes over. Null: no next key is planned.
  retired_at timestamptz,
  withdrawn_at timestamptz,
  constraint signing_keys_encrypted_check
    check ((encrypted_private_key is null) = (encryption_key_id is null)),
  constraint signing_keys_withdrawn_check
    check (withdrawn_at is null or (retired_at is not null and retired_at <= withdrawn_at))
);

-- One key at most has no end, so that of two concurrent rotations one fails.
create unique index if not exists signing_keys_last_in_line
  on signing_keys ((retired_at is null)) where retired_at is null;

-- Other keys that all processes share. The first process that needs a key makes it.
create table if not exists server_keys (
  name text primary key,
  key bytea not null check (octet_length(key) = 32)
);
