-- A grant of a person's that is revoked takes its access tokens along: so the record of each token
-- names the grant it came of, and the ID that the denylist knows it by.
alter table authorisations
  add column if not exists token_id uuid,
  add column if not exists grant_id text;

create index if not exists authorisations_by_grant
  on authorisations (grant_id, issued_at) where grant_id is not null;
