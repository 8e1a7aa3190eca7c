-- Who may ask for tokens: clients belong to an application, and applications to an organisation.
create table if not exists organisations (
  organisation_id text primary key check (char_length(organisation_id) between 1 and 128),
  created_at timestamptz not null default now()
);

-- application_id is the application's external identifier: it stands in every token of its clients.
create table if not exists applications (
  application_id text primary key check (char_length(application_id) between 1 and 128),
  organisation_id text not null references organisations,
  created_at timestamptz not null default now()
);

create index if not exists applications_by_organisation on applications (organisation_id);

-- secret_hash is a scrypt hash in PHC form; the secret itself is never stored.
create table if not exists clients (
  client_id uuid primary key,
  application_id text not null references applications,
  name text not null check (char_length(name) <= 128),
  secret_hash text not null check (secret_hash like '$scrypt$%'),
  scopes text[] not null,
  created_at timestamptz not null default now()
);

create index if not exists clients_by_application on clients (application_id);
