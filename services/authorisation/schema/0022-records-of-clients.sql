-- What a client has is removed with it, and must not be searched among the records of all others.
create index if not exists provider_records_by_client
  on provider_records (client_id, model, expires_at) where client_id is not null;

-- Its records are in the other one.
drop index if exists provider_records_pending_by_client;
