-- Keys that all processes of the service share, made by the first that needs them.
create table if not exists server_keys (
  name text primary key,
  key bytea not null check (octet_length(key) = 32)
);
