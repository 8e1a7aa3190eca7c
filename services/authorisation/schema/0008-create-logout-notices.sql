-- Who is still to be told that a session has ended (OpenID Connect Back-Channel Logout 1.0). A row
-- is written with the end of the session, in the same transaction, and removed once the client was
-- told. due_at is when to try next; while somebody tries, it is when they are taken to have died.
create table if not exists logout_notices (
  notice_id uuid primary key default gen_random_uuid(),
  client_id uuid not null references clients on delete cascade,
  subject text not null,
  session_id text not null,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  expires_at timestamptz not null
);

create index if not exists logout_notices_by_client on logout_notices (client_id, due_at);

create index if not exists logout_notices_by_expiry on logout_notices (expires_at);
