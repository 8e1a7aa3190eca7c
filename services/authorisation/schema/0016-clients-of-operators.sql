-- First-party clients ask people for no consent. Clients for any organisation serve the people of
-- all of them; their own organisation is that of the tokens they get for themselves.
alter table clients add column if not exists is_first_party boolean not null default false;
alter table clients add column if not exists is_for_any_organisation boolean not null default false;
