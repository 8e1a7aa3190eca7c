-- Organisations, their applications, and their people.
create table if not exists organisations (
  organisation_id text primary key check (char_length(organisation_id) between 1 and 128),
  created_at timestamptz not null default now(),
  -- Its clients and people get no tokens until it is enabled again. Null: it is enabled.
  disabled_at timestamptz
);

-- Clients and service accounts belong to an application.
create table if not exists applications (
  -- The external identifier of the application, which is in every token of its clients.
  application_id text primary key check (char_length(application_id) between 1 and 128),
  organisation_id text not null references organisations,
  created_at timestamptz not null default now()
);

create index if not exists applications_by_organisation on applications (organisation_id);

-- People who sign in.
create table if not exists accounts (
  -- Never changes, and is never given to somebody else.
  account_id uuid primary key,
  organisation_id text not null references organisations,
  -- What a person signs in with, in lower case.
  login_name text not null unique check (char_length(login_name) between 1 and 128),
  name text not null check (char_length(name) <= 128),
  -- The claim `email`. It is not verified, and two accounts may have the same.
  email text check (char_length(email) between 3 and 254),
  -- A scrypt hash in PHC form. Null: the person signs in at another provider.
  password_hash text check (password_hash like '$scrypt$%'),
  -- Who the person is there: the claims iss and sub of its ID tokens.
  provider_issuer text check (char_length(provider_issuer) <= 4096),
  provider_subject text check (char_length(provider_subject) <= 255),
  -- The limits of each token, from the groups at the last sign-in there. Null: none.
  authorization_details jsonb,
  created_at timestamptz not null default now(),
  -- Sign-ins before this time have ended. Removing the sessions is not enough: a sign-in that is
  -- not complete has no session yet.
  signed_out_at timestamptz,
  -- The person gets no tokens until the account is enabled again. Null: it is enabled.
  disabled_at timestamptz,
  constraint accounts_sign_in_check check (
    (password_hash is null) = (provider_issuer is not null and provider_subject is not null)
  ),
  unique (provider_issuer, provider_subject)
);

create index if not exists accounts_by_organisation on accounts (organisation_id);

-- What the groups of another provider may access.
create table if not exists provider_groups (
  -- As the provider names it.
  group_name text primary key check (char_length(group_name) between 1 and 512),
  organisation_id text not null references organisations,
  -- Entries of RFC 9396, which limit tokens. Null: all of the organisation.
  authorization_details jsonb,
  created_at timestamptz not null default now()
);

create index if not exists provider_groups_by_organisation on provider_groups (organisation_id);
