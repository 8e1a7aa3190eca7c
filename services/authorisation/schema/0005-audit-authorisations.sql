-- The audit log is read, newest first: all of it, or what one organisation, client or subject was
-- granted. source_authorisation_id names the record of the token that this one was exchanged for.
alter table authorisations
  add column if not exists address text check (char_length(address) <= 64),
  add column if not exists authorization_details jsonb,
  add column if not exists source_authorisation_id uuid;

create index if not exists authorisations_by_time on authorisations (issued_at, authorisation_id);

create index if not exists authorisations_by_organisation
  on authorisations (organisation_id, issued_at, authorisation_id);

create index if not exists authorisations_by_client
  on authorisations (client_id, issued_at, authorisation_id);

create index if not exists authorisations_by_subject
  on authorisations (subject, issued_at, authorisation_id);
