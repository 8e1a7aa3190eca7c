-- People who sign in, and what they have allowed which client. The identifier never changes and is
-- never given to somebody else; the login name is how a person is found, in lower case.
-- password_hash is a scrypt hash in PHC form.
create table if not exists accounts (
  account_id uuid primary key,
  organisation_id text not null references organisations,
  login_name text not null unique check (char_length(login_name) between 1 and 128),
  name text not null check (char_length(name) <= 128),
  password_hash text not null check (password_hash like '$scrypt$%'),
  created_at timestamptz not null default now()
);

create index if not exists accounts_by_organisation on accounts (organisation_id);

-- One row for what was allowed of one resource; an empty resource stands for the scopes of OpenID
-- Connect.
create table if not exists consents (
  account_id uuid not null references accounts on delete cascade,
  client_id uuid not null references clients on delete cascade,
  resource text not null check (char_length(resource) <= 2048),
  scopes text[] not null,
  primary key (account_id, client_id, resource)
);

create index if not exists consents_by_client on consents (client_id);

-- The session that a token is of, so that who looks a token up finds the others.
alter table authorisations add column if not exists session_id text;
