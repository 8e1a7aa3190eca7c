-- Everybody can begin a sign-in, and each one is stored until it expires. What is pending is
-- counted for each address and each client. Only such records have an address.
alter table provider_records add column if not exists address text;

create index if not exists provider_records_pending_by_address
  on provider_records (address, model, expires_at) where address is not null;
create index if not exists provider_records_pending_by_client
  on provider_records (client_id, model, expires_at) where address is not null;

-- Such records come and go quickly.
alter table provider_records set (
  autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_scale_factor = 0.02
);
