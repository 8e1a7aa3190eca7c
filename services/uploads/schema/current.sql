-- The schema after all migrations. A test compares it; UPDATE_SCHEMA=1 rewrites it.

CREATE TABLE uploads.access_versions (
  bucket_id uuid NOT NULL,
  version bigint NOT NULL,
  CONSTRAINT access_versions_pkey PRIMARY KEY (bucket_id),
  CONSTRAINT access_versions_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES uploads.buckets(bucket_id)
);

CREATE TABLE uploads.bucket_numbers (
  bucket_id uuid NOT NULL,
  bucket_number integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  CONSTRAINT bucket_numbers_pkey PRIMARY KEY (bucket_id)
);

CREATE TABLE uploads.bucket_sizes (
  bucket_id uuid NOT NULL,
  folders bigint NOT NULL,
  uploads bigint NOT NULL,
  CONSTRAINT bucket_sizes_pkey PRIMARY KEY (bucket_id),
  CONSTRAINT bucket_sizes_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES uploads.buckets(bucket_id)
);

CREATE TABLE uploads.buckets (
  bucket_id uuid NOT NULL,
  bucket_number integer NOT NULL,
  hostname text COLLATE "C" NOT NULL,
  organisation_id text COLLATE "C" NOT NULL,
  is_primary boolean DEFAULT false NOT NULL,
  CONSTRAINT buckets_pkey PRIMARY KEY (bucket_id),
  CONSTRAINT buckets_bucket_number_key UNIQUE (bucket_number),
  CONSTRAINT buckets_hostname_key UNIQUE (hostname)
);

CREATE UNLOGGED TABLE uploads.call_counts (
  key text NOT NULL,
  points integer NOT NULL,
  expire bigint NOT NULL,
  CONSTRAINT call_counts_pkey PRIMARY KEY (key)
);

CREATE TABLE uploads.deleted_uploads (
  bucket_number integer NOT NULL,
  upload_id text COLLATE "C" NOT NULL,
  source_id uuid NOT NULL,
  deleted_at timestamp with time zone DEFAULT now() NOT NULL,
  path text COLLATE "C" NOT NULL,
  filename text COLLATE "C" NOT NULL,
  created_at timestamp with time zone NOT NULL,
  slug text COLLATE "C",
  slug_nfc text COLLATE "C",
  slug_folded text COLLATE "C",
  tags text[] COLLATE "C",
  integration_id uuid,
  integration_hidden boolean NOT NULL,
  "order" integer NOT NULL,
  details text,
  intent_metadata jsonb,
  CONSTRAINT deleted_uploads_pkey PRIMARY KEY (bucket_number, upload_id)
);

CREATE TABLE uploads.folders (
  tree_position bigint NOT NULL,
  uploads bigint DEFAULT 0 NOT NULL,
  size_bytes bigint DEFAULT 0 NOT NULL,
  subtree_uploads bigint DEFAULT 0 NOT NULL,
  subtree_size_bytes bigint DEFAULT 0 NOT NULL,
  bucket_number integer NOT NULL,
  integration_hidden boolean NOT NULL,
  folder_id uuid NOT NULL,
  tree_key text COLLATE "C" NOT NULL,
  path text COLLATE "C",
  path_nfc text COLLATE "C",
  path_folded text COLLATE "C",
  scoping_integration_id uuid,
  virtual_file_integration_id uuid,
  settings text,
  source_id uuid,
  CONSTRAINT folders_pkey PRIMARY KEY (bucket_number, folder_id),
  CONSTRAINT folders_bucket_number_tree_key_key UNIQUE (bucket_number, tree_key),
  CONSTRAINT folders_position UNIQUE (bucket_number, tree_position) DEFERRABLE
);

CREATE TABLE uploads.ghosts (
  bucket_number integer NOT NULL,
  upload_id text COLLATE "C" NOT NULL,
  source_id uuid NOT NULL,
  path text COLLATE "C" NOT NULL,
  filename text COLLATE "C" NOT NULL,
  found_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT ghosts_pkey PRIMARY KEY (bucket_number, upload_id)
);

CREATE TABLE uploads.integrations (
  bucket_number integer NOT NULL,
  integration_id uuid NOT NULL,
  name text NOT NULL,
  oauth_client_id text COLLATE "C" NOT NULL,
  folder_behavior smallint NOT NULL,
  folder_link_url text NOT NULL,
  document text GENERATED ALWAYS AS (uploads.integration_document(integration_id, name, oauth_client_id, folder_behavior, folder_link_url)) STORED NOT NULL,
  CONSTRAINT integrations_pkey PRIMARY KEY (bucket_number, integration_id),
  CONSTRAINT integrations_bucket_number_fkey FOREIGN KEY (bucket_number) REFERENCES uploads.buckets(bucket_number)
);

CREATE TABLE uploads.server_keys (
  name text NOT NULL,
  key bytea NOT NULL,
  CONSTRAINT server_keys_pkey PRIMARY KEY (name)
);

CREATE TABLE uploads.skip_index_bitmaps (
  bucket_number integer NOT NULL,
  part integer NOT NULL,
  n_gram text COLLATE "C" NOT NULL,
  created_at bit(1024) NOT NULL,
  updated_at bit(1024) NOT NULL,
  filename bit(1024) NOT NULL,
  size_bytes bit(1024) NOT NULL,
  "order" bit(1024) NOT NULL,
  CONSTRAINT skip_index_bitmaps_pkey PRIMARY KEY (bucket_number, part, n_gram),
  CONSTRAINT skip_index_bitmaps_bucket_number_fkey FOREIGN KEY (bucket_number) REFERENCES uploads.skip_index_buckets(bucket_number) ON DELETE CASCADE
);

CREATE TABLE uploads.skip_index_blocks (
  bucket_number integer NOT NULL,
  block integer NOT NULL,
  created_at timestamp with time zone,
  updated_at timestamp with time zone,
  filename text COLLATE "C",
  size_bytes bigint,
  "order" integer,
  CONSTRAINT skip_index_blocks_pkey PRIMARY KEY (bucket_number, block),
  CONSTRAINT skip_index_blocks_bucket_number_fkey FOREIGN KEY (bucket_number) REFERENCES uploads.skip_index_buckets(bucket_number) ON DELETE CASCADE
);

CREATE TABLE uploads.skip_index_buckets (
  bucket_number integer NOT NULL,
  uploads bigint NOT NULL,
  CONSTRAINT skip_index_buckets_pkey PRIMARY KEY (bucket_number),
  CONSTRAINT skip_index_buckets_bucket_number_fkey FOREIGN KEY (bucket_number) REFERENCES uploads.buckets(bucket_number)
);

CREATE TABLE uploads.source_runs (
  bucket_id uuid NOT NULL,
  source_id uuid NOT NULL,
  run_id uuid NOT NULL,
  started_at timestamp with time zone DEFAULT now() NOT NULL,
  ended_at timestamp with time zone,
  is_dry_run boolean NOT NULL,
  inventory text,
  holder text NOT NULL,
  phase text DEFAULT 'list'::text NOT NULL,
  outcome text,
  reason text DEFAULT ''::text NOT NULL,
  objects bigint DEFAULT 0 NOT NULL,
  size_bytes bigint DEFAULT 0 NOT NULL,
  left_out bigint DEFAULT 0 NOT NULL,
  unreadable bigint DEFAULT 0 NOT NULL,
  left_out_examples jsonb DEFAULT '[]'::jsonb NOT NULL,
  new bigint DEFAULT 0 NOT NULL,
  changed bigint DEFAULT 0 NOT NULL,
  gone bigint DEFAULT 0 NOT NULL,
  gone_unproved bigint DEFAULT 0 NOT NULL,
  unchanged bigint DEFAULT 0 NOT NULL,
  CONSTRAINT source_runs_pkey PRIMARY KEY (bucket_id, source_id, run_id),
  CONSTRAINT source_runs_bucket_id_source_id_fkey FOREIGN KEY (bucket_id, source_id) REFERENCES uploads.sources(bucket_id, source_id) ON DELETE CASCADE,
  CONSTRAINT source_runs_outcome_check CHECK ((outcome = ANY (ARRAY['complete'::text, 'stopped'::text, 'failed'::text]))),
  CONSTRAINT source_runs_phase_check CHECK ((phase = ANY (ARRAY['list'::text, 'delete'::text])))
);

CREATE TABLE uploads.sources (
  bucket_id uuid NOT NULL,
  source_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  location jsonb NOT NULL,
  mount_path text COLLATE "C" NOT NULL,
  mount_key text COLLATE "C" GENERATED ALWAYS AS (uploads.tree_key(mount_path)) STORED NOT NULL,
  every interval,
  is_paused boolean DEFAULT false NOT NULL,
  next_run_at timestamp with time zone,
  outcome text,
  message text DEFAULT ''::text NOT NULL,
  doubt text DEFAULT ''::text NOT NULL,
  waiting_deletions bigint DEFAULT 0 NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  last_complete_at timestamp with time zone,
  old_at timestamp with time zone,
  last_objects bigint,
  listed_at timestamp with time zone,
  known_keys text[] COLLATE "C" DEFAULT '{}'::text[] NOT NULL,
  known_mounts text[] COLLATE "C" DEFAULT '{}'::text[] NOT NULL,
  drift jsonb DEFAULT '{}'::jsonb NOT NULL,
  hint_secret_hash bytea,
  hint_queue text,
  hint_failure text DEFAULT ''::text NOT NULL,
  lease_holder text,
  lease_until timestamp with time zone,
  CONSTRAINT sources_pkey PRIMARY KEY (bucket_id, source_id),
  CONSTRAINT sources_name_key UNIQUE (name),
  CONSTRAINT sources_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES uploads.buckets(bucket_id),
  CONSTRAINT sources_kind_check CHECK ((kind = ANY (ARRAY['s3'::text, 'directory'::text]))),
  CONSTRAINT sources_outcome_check CHECK ((outcome = ANY (ARRAY['complete'::text, 'stopped'::text, 'failed'::text])))
);

CREATE TABLE uploads.uploads (
  size_bytes bigint NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  tree_position bigint NOT NULL,
  signature bigint STATISTICS 0 NOT NULL,
  bucket_number integer NOT NULL,
  "order" integer NOT NULL,
  type smallint STATISTICS 0 NOT NULL,
  integration_hidden boolean NOT NULL,
  id_prefix text COLLATE "C" NOT NULL,
  upload_id text COLLATE "C" NOT NULL,
  filename text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  filename_nfc text COLLATE "C",
  filename_folded text COLLATE "C",
  slug text COLLATE "C",
  slug_nfc text COLLATE "C",
  slug_folded text COLLATE "C",
  search_words text COLLATE "C",
  tags text[] COLLATE "C",
  integration_id uuid,
  external_path text COLLATE "C",
  intent_metadata jsonb STATISTICS 0,
  details text STATISTICS 0,
  source_id uuid,
  CONSTRAINT uploads_pkey PRIMARY KEY (bucket_number, upload_id)
) WITH (autovacuum_vacuum_insert_scale_factor=0.02, autovacuum_vacuum_scale_factor=0.05);

CREATE UNIQUE INDEX buckets_primary_of_organisation ON uploads.buckets USING btree (organisation_id) WHERE is_primary;

CREATE INDEX deleted_uploads_by_time ON uploads.deleted_uploads USING btree (source_id, deleted_at);

CREATE INDEX folders_by_level ON uploads.folders USING btree (bucket_number, uploads.tree_depth(tree_key), tree_position) INCLUDE (tree_key);

CREATE INDEX folders_by_name ON uploads.folders USING gin (bucket_number, uploads.folder_name(tree_key, path, path_folded) uploads.gin_trgm_ops);

CREATE INDEX folders_hidden ON uploads.folders USING btree (bucket_number, tree_key) WHERE integration_hidden;

CREATE INDEX ghosts_of_source ON uploads.ghosts USING btree (source_id, found_at);

CREATE INDEX skip_index_blocks_by_created_at ON uploads.skip_index_blocks USING btree (bucket_number, created_at);

CREATE INDEX skip_index_blocks_by_filename ON uploads.skip_index_blocks USING btree (bucket_number, filename);

CREATE INDEX skip_index_blocks_by_order ON uploads.skip_index_blocks USING btree (bucket_number, "order");

CREATE INDEX skip_index_blocks_by_size_bytes ON uploads.skip_index_blocks USING btree (bucket_number, size_bytes);

CREATE INDEX skip_index_blocks_by_updated_at ON uploads.skip_index_blocks USING btree (bucket_number, updated_at);

CREATE INDEX source_runs_open ON uploads.source_runs USING btree (bucket_id, source_id) WHERE (ended_at IS NULL);

CREATE INDEX uploads_by_name ON uploads.uploads USING gin (bucket_number, uploads.searched_text(filename, filename_folded, search_words) uploads.gin_trgm_ops, type);

CREATE INDEX uploads_hidden ON uploads.uploads USING btree (bucket_number) WHERE integration_hidden;

CREATE INDEX uploads_in_bucket_by_created_at ON uploads.uploads USING btree (bucket_number, created_at, id_prefix) INCLUDE (tree_position, signature);

CREATE INDEX uploads_in_bucket_by_filename ON uploads.uploads USING btree (bucket_number, filename, id_prefix) INCLUDE (tree_position, signature, created_at);

CREATE INDEX uploads_in_bucket_by_order ON uploads.uploads USING btree (bucket_number, "order", id_prefix) INCLUDE (tree_position, signature, created_at);

CREATE INDEX uploads_in_bucket_by_size_bytes ON uploads.uploads USING btree (bucket_number, size_bytes, id_prefix) INCLUDE (tree_position, signature, created_at);

CREATE INDEX uploads_in_bucket_by_updated_at ON uploads.uploads USING btree (bucket_number, updated_at, id_prefix) INCLUDE (tree_position, signature, created_at);

CREATE INDEX uploads_in_folder_by_created_at ON uploads.uploads USING btree (bucket_number, ((tree_position + 1)), created_at, id_prefix);

CREATE INDEX uploads_in_folder_by_order ON uploads.uploads USING btree (bucket_number, ((tree_position + 4)), "order", id_prefix);

CREATE INDEX uploads_in_folder_by_size_bytes ON uploads.uploads USING btree (bucket_number, ((tree_position + 3)), size_bytes, id_prefix);

CREATE INDEX uploads_in_folder_by_updated_at ON uploads.uploads USING btree (bucket_number, ((tree_position + 2)), updated_at, id_prefix);

CREATE INDEX uploads_of_folder ON uploads.uploads USING btree (bucket_number, tree_position, filename, id_prefix) INCLUDE (size_bytes, signature);

CREATE OR REPLACE FUNCTION uploads.folder_name(tree_key text, path text, path_folded text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN encode(convert_to(split_part(COALESCE(path_folded, uploads.path_of(tree_key, path)), '/'::text, '-1'::integer), 'UTF8'::name), 'escape'::text);

CREATE OR REPLACE FUNCTION uploads.integration_document(integration_id uuid, name text, oauth_client_id text, folder_behavior smallint, folder_link_url text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((((((((('{"integrationId":"'::text || integration_id) || '","name":'::text) || to_json(name)) || ',"oauthClientId":'::text) || to_json(oauth_client_id)) || ',"folderBehavior":"'::text) || (ARRAY['INTEGRATION_FOLDER_BEHAVIOR_UNSPECIFIED'::text, 'INTEGRATION_FOLDER_BEHAVIOR_OPEN_IN_FOLDER'::text, 'INTEGRATION_FOLDER_BEHAVIOR_OPEN_LINK'::text])[(folder_behavior + 1)]) || '","folderLinkUrl":'::text) || to_json(folder_link_url)) || '}'::text);

CREATE OR REPLACE FUNCTION uploads.path_of(tree_key text, path text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN COALESCE(path, CASE WHEN (tree_key = ''::text) THEN '/'::text ELSE replace(tree_key, chr(1), '/'::text) END);

CREATE OR REPLACE FUNCTION uploads.searched_text(filename text, filename_folded text, search_words text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (search_words IS NULL) THEN COALESCE(filename_folded, filename) ELSE ((COALESCE(filename_folded, filename) || ' '::text) || search_words) END;

CREATE OR REPLACE FUNCTION uploads.tree_depth(tree_key text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (octet_length(replace(replace(tree_key, (chr(2) || chr(2)), ''::text), (chr(2) || chr(1)), ''::text)) - octet_length(replace(replace(replace(tree_key, (chr(2) || chr(2)), ''::text), (chr(2) || chr(1)), ''::text), chr(1), ''::text)));

CREATE OR REPLACE FUNCTION uploads.tree_key(path text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (path = '/'::text) THEN ''::text ELSE replace(replace(replace(path, chr(2), (chr(2) || chr(2))), chr(1), (chr(2) || chr(1))), '/'::text, chr(1)) END;

CREATE TYPE uploads.key_range AS RANGE (SUBTYPE = text, COLLATION = "C");

CREATE EXTENSION btree_gin SCHEMA uploads;

CREATE EXTENSION pg_trgm SCHEMA uploads;
