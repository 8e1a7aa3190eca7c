-- Secrets that all uploads servers of one database share, made by the first that needs them.
create table if not exists uploads.server_keys (
  name text primary key,
  key bytea not null
);
