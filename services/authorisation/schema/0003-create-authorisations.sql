-- What was granted: one row for each token issued. It has no foreign keys, since the record must
-- outlive the client it tells of.
create table if not exists authorisations (
  authorisation_id uuid primary key,
  grant_type text not null,
  client_id uuid not null,
  application_id text not null,
  organisation_id text not null,
  subject text not null,
  audience text not null,
  scopes text[] not null,
  issued_at timestamptz not null default now()
);
