-- Clients that act for people: where people are sent back to, and how such a client may ask. A
-- client without a secret is a public one: a program on somebody's device, or a page.
alter table clients
  alter column secret_hash drop not null,
  add column if not exists grant_types text[] not null default '{client_credentials}',
  add column if not exists redirect_uris text[] not null default '{}',
  add column if not exists post_logout_redirect_uris text[] not null default '{}',
  add column if not exists back_channel_logout_uri text,
  add column if not exists is_native boolean not null default false,
  drop constraint if exists clients_native_check,
  add constraint clients_native_check check (not is_native or secret_hash is null);
