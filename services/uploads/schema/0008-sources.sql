-- A source is a place that one folder of a bucket mirrors: an S3 bucket and prefix, or a directory.
-- No column contains a credential.
create table if not exists uploads.sources (
  bucket_id uuid not null references uploads.buckets,
  source_id uuid not null,
  -- Unique across buckets, like host names: commands name a source by it.
  name text collate "C" not null unique,
  kind text not null check (kind in ('s3', 'directory')),
  location jsonb not null,
  mount_path text collate "C" not null,
  mount_key text collate "C" not null generated always as (uploads.tree_key(mount_path)) stored,
  -- Null: it runs only when a person starts a run.
  every interval,
  is_paused boolean not null default false,
  next_run_at timestamptz,
  -- How the last run ended, and why if it failed.
  outcome text check (outcome in ('complete', 'stopped', 'failed')),
  message text not null default '',
  -- What the last run that did not fail left in doubt, and what a person should do about it. Not
  -- empty: the index of the source is doubtful.
  doubt text not null default '',
  -- Uploads that may be gone, and that wait for a person.
  waiting_deletions bigint not null default 0,
  -- Runs in a row that did not complete.
  failures integer not null default 0,
  -- When the last run that left nothing out began: the source is complete as of this time.
  last_complete_at timestamptz,
  -- When this is old; null: never.
  old_at timestamptz,
  -- What that run listed.
  last_objects bigint,
  -- The time of the data of that run: when it began, or when its Inventory report was made, a day
  -- or two before. An older report would undo what the run found.
  listed_at timestamptz,
  -- Evenly spaced keys of the last complete run: they divide the next listing into ranges.
  known_keys text[] collate "C" not null default '{}',
  -- Of a directory: the mount points it was on and had under it. One that is missing is unreadable.
  known_mounts text[] collate "C" not null default '{}',
  -- Of each of the last 30 days: objects that were looked at again, and how many differed.
  drift jsonb not null default '{}',
  -- SHA-256 of the secret with which a store may send hints of changes. Null: none may.
  hint_secret_hash bytea,
  -- The address of an SQS queue with events of the store. Null: there is none.
  hint_queue text,
  -- Why the directory cannot be watched, or the queue not be read. Empty: it can, or need not be.
  hint_failure text not null default '',
  -- The process that runs the source. It renews the lease; if it dies, the lease expires.
  lease_holder text,
  lease_until timestamptz,
  primary key (bucket_id, source_id)
);

-- The runs of a source.
create table if not exists uploads.source_runs (
  bucket_id uuid not null,
  source_id uuid not null,
  run_id uuid not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  is_dry_run boolean not null,
  -- The address of the Inventory report that the run reads, if any.
  inventory text,
  -- Only this process may write to the run.
  holder text not null,
  phase text not null default 'list' check (phase in ('list', 'delete')),
  outcome text check (outcome in ('complete', 'stopped', 'failed')),
  reason text not null default '',
  objects bigint not null default 0,
  size_bytes bigint not null default 0,
  left_out bigint not null default 0,
  -- Of these, those that could not be read: the index keeps what it has of them.
  unreadable bigint not null default 0,
  -- The first few keys that were left out, with the reasons.
  left_out_examples jsonb not null default '[]',
  -- What is written so far; `gone` is what is to be deleted.
  new bigint not null default 0,
  changed bigint not null default 0,
  gone bigint not null default 0,
  -- Of these, those that the place could only be listed for, not asked.
  gone_unproved bigint not null default 0,
  unchanged bigint not null default 0,
  primary key (bucket_id, source_id, run_id),
  foreign key (bucket_id, source_id) references uploads.sources on delete cascade
);

-- Finds the runs that have not ended.
create index if not exists source_runs_open on uploads.source_runs (bucket_id, source_id)
  where ended_at is null;

-- What a run deleted of uploads beyond what their place knows: it is given back when an upload with
-- the same ID comes from a source again.
create table if not exists uploads.deleted_uploads (
  bucket_number integer not null,
  upload_id text collate "C" not null,
  source_id uuid not null,
  deleted_at timestamptz not null default now(),
  path text collate "C" not null,
  filename text collate "C" not null,
  created_at timestamptz not null,
  slug text collate "C",
  slug_nfc text collate "C",
  slug_folded text collate "C",
  tags text[] collate "C",
  integration_id uuid,
  integration_hidden boolean not null,
  "order" integer not null,
  details text,
  intent_metadata jsonb,
  primary key (bucket_number, upload_id)
);

create index if not exists deleted_uploads_by_time on uploads.deleted_uploads
  (source_id, deleted_at);

-- Objects that a store lists although they do not exist: runs leave them out.
create table if not exists uploads.ghosts (
  bucket_number integer not null,
  upload_id text collate "C" not null,
  source_id uuid not null,
  path text collate "C" not null,
  filename text collate "C" not null,
  found_at timestamptz not null default now(),
  primary key (bucket_number, upload_id)
);

create index if not exists ghosts_of_source on uploads.ghosts (source_id, found_at);
