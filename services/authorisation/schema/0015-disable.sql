-- Clients, people and organisations that get no tokens until they are enabled again.
alter table clients add column if not exists disabled_at timestamptz;
alter table accounts add column if not exists disabled_at timestamptz;
alter table organisations add column if not exists disabled_at timestamptz;
