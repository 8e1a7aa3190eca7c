-- The audit log. Its tables have no foreign keys, since a record outlives the client and the
-- account that it names.

-- What was granted: a row for each token.
create table if not exists authorisations (
  authorisation_id uuid primary key,
  grant_type text not null,
  client_id uuid not null,
  application_id text not null,
  organisation_id text not null,
  subject text not null,
  audience text not null,
  scopes text[] not null,
  authorization_details jsonb,
  issued_at timestamptz not null default now(),
  -- The address of the caller.
  address text not null check (char_length(address) <= 64),
  -- The ID (jti) of the token, by which the denylist names it.
  token_id uuid not null,
  -- The record of the token that was exchanged for this one.
  source_authorisation_id uuid,
  -- The person's grant that the token rests on. Revoking the grant revokes its tokens.
  grant_id text,
  -- The claim by which the client knows the session.
  sid text
);

create index if not exists authorisations_by_time on authorisations (issued_at, authorisation_id);

create index if not exists authorisations_by_organisation
  on authorisations (organisation_id, issued_at, authorisation_id);

create index if not exists authorisations_by_client
  on authorisations (client_id, issued_at, authorisation_id);

create index if not exists authorisations_by_subject
  on authorisations (subject, issued_at, authorisation_id);

create index if not exists authorisations_by_grant
  on authorisations (grant_id, issued_at) where grant_id is not null;

create index if not exists authorisations_by_session
  on authorisations (sid) where sid is not null;

-- What grants no token: failed sign-ins, consents, revocations, and the commands of operators.
create table if not exists audit_events (
  event_id uuid primary key default gen_random_uuid(),
  occurred_at timestamptz not null default now(),
  kind text not null,
  -- Whom it concerns: a URN.
  subject text,
  client_id text,
  -- The address of the caller; null for a command.
  address text check (char_length(address) <= 64),
  -- Who ran the command, and where: user@host.
  operator text,
  details jsonb not null default '{}'
);

create index if not exists audit_events_by_time on audit_events (occurred_at, event_id);

create index if not exists audit_events_by_subject
  on audit_events (subject, occurred_at, event_id) where subject is not null;
