-- The audit log says what was granted. Failed sign-ins, consents, revocations and the commands of
-- operators grant nothing, and are here. There are no foreign keys: a record outlives what it
-- names.
create table if not exists audit_events (
  event_id uuid primary key default gen_random_uuid(),
  occurred_at timestamptz not null default now(),
  kind text not null,
  -- Whom it concerns: a URN.
  subject text,
  client_id text,
  -- The caller's; null for a command.
  address text check (char_length(address) <= 64),
  -- Who ran the command, and where: user@host.
  operator text,
  details jsonb not null default '{}'
);

create index if not exists audit_events_by_time on audit_events (occurred_at, event_id);

create index if not exists audit_events_by_subject
  on audit_events (subject, occurred_at, event_id) where subject is not null;
