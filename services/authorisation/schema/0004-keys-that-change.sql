-- Keys change without a restart, and a copy of the database signs nothing. The times tell what a
-- key does when; at most one has no end yet, so that rotations that race cannot both succeed. The
-- private key lies encrypted, and is gone once the key is out of the key set. private_key_pem is of
-- the version before: what it wrote there is encrypted, and the column cleared, at the next start.
alter table signing_keys
  alter column private_key_pem drop not null,
  add column if not exists public_key_pem text,
  add column if not exists encrypted_private_key bytea,
  add column if not exists encryption_key_id text,
  add column if not exists signs_from timestamptz,
  add column if not exists retired_at timestamptz,
  add column if not exists withdrawn_at timestamptz;

update signing_keys set signs_from = created_at, retired_at = next_created_at
from (
  select key_id, lead(created_at) over (order by created_at, key_id desc) as next_created_at
  from signing_keys
) as line
where line.key_id = signing_keys.key_id and signs_from is null;

alter table signing_keys
  alter column signs_from set default now(),
  alter column signs_from set not null,
  drop constraint if exists signing_keys_public_check,
  add constraint signing_keys_public_check
    check (public_key_pem is not null or private_key_pem is not null),
  drop constraint if exists signing_keys_encrypted_check,
  add constraint signing_keys_encrypted_check
    check ((encrypted_private_key is null) = (encryption_key_id is null)),
  drop constraint if exists signing_keys_withdrawn_check,
  add constraint signing_keys_withdrawn_check
    check (withdrawn_at is null or (retired_at is not null and retired_at <= withdrawn_at));

create unique index if not exists signing_keys_last_in_line
  on signing_keys ((retired_at is null)) where retired_at is null;
