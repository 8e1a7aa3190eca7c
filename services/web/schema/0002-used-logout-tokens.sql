-- Logout tokens that were accepted, by the SHA-256 of their jti, until they expire: none is
-- accepted twice.
create table if not exists used_logout_tokens (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  expires_at timestamptz not null
);

create index if not exists used_logout_tokens_expiry on used_logout_tokens (expires_at);
