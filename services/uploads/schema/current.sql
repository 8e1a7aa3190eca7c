-- What the steps beside this file add up to. A test compares; UPDATE_SCHEMA=1 rewrites it.

CREATE TABLE uploads.buckets (
  bucket_id uuid NOT NULL,
  hostname text COLLATE "C" NOT NULL,
  organisation_id text COLLATE "C" NOT NULL,
  is_primary boolean DEFAULT false NOT NULL,
  CONSTRAINT buckets_pkey PRIMARY KEY (bucket_id),
  CONSTRAINT buckets_hostname_key UNIQUE (hostname)
);

CREATE TABLE uploads.folders (
  bucket_id uuid NOT NULL,
  folder_id uuid NOT NULL,
  path text COLLATE "C" NOT NULL,
  tree_key text COLLATE "C" GENERATED ALWAYS AS (uploads.tree_key(path)) STORED NOT NULL,
  path_nfc text COLLATE "C",
  path_folded text COLLATE "C" NOT NULL,
  colour text NOT NULL,
  has_public_directory_listing boolean NOT NULL,
  inherited_has_directory_listing boolean NOT NULL,
  private_access boolean NOT NULL,
  inherited_private_access boolean NOT NULL,
  is_share_root boolean NOT NULL,
  scoping_integration_id uuid,
  virtual_file_enabled boolean NOT NULL,
  virtual_file_name text NOT NULL,
  virtual_file_integration_id uuid,
  virtual_file_root_upload_id uuid,
  external_path text NOT NULL,
  external_parent_path text NOT NULL,
  "order" integer NOT NULL,
  integration_hidden boolean NOT NULL,
  CONSTRAINT folders_pkey PRIMARY KEY (bucket_id, folder_id),
  CONSTRAINT folders_bucket_id_tree_key_key UNIQUE (bucket_id, tree_key),
  CONSTRAINT folders_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES uploads.buckets(bucket_id)
);

CREATE TABLE uploads.integrations (
  bucket_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  name text NOT NULL,
  oauth_client_id text COLLATE "C" NOT NULL,
  folder_behavior smallint NOT NULL,
  folder_link_url text NOT NULL,
  CONSTRAINT integrations_pkey PRIMARY KEY (bucket_id, integration_id),
  CONSTRAINT integrations_bucket_id_fkey FOREIGN KEY (bucket_id) REFERENCES uploads.buckets(bucket_id)
);

CREATE TABLE uploads.server_keys (
  name text NOT NULL,
  key bytea NOT NULL,
  CONSTRAINT server_keys_pkey PRIMARY KEY (name)
);

CREATE TABLE uploads.uploads (
  bucket_id uuid NOT NULL,
  upload_id text COLLATE "C" NOT NULL,
  filename text COLLATE "C" NOT NULL,
  path text COLLATE "C" NOT NULL,
  folder_key text COLLATE "C" GENERATED ALWAYS AS (uploads.tree_key(path)) STORED NOT NULL,
  slug text COLLATE "C" NOT NULL,
  filename_nfc text COLLATE "C",
  filename_folded text COLLATE "C" NOT NULL,
  slug_nfc text COLLATE "C",
  slug_folded text COLLATE "C" NOT NULL,
  url text NOT NULL,
  content_url text NOT NULL,
  size_bytes bigint NOT NULL,
  type smallint NOT NULL,
  tags text[] COLLATE "C" NOT NULL,
  integration_id uuid,
  allow_any_extension boolean NOT NULL,
  default_slug_extension text NOT NULL,
  generated_description text NOT NULL,
  meta_uploads jsonb NOT NULL,
  private boolean NOT NULL,
  aliases jsonb NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  author_user_id bigint,
  author_username text,
  last_modified_by_user_id bigint,
  last_modified_by_username text,
  thumbnail_generation_version integer NOT NULL,
  ai_description_generation_version integer NOT NULL,
  ai_tags_generation_version integer NOT NULL,
  virus_scan_generation_version integer NOT NULL,
  ai_description_input_ref text NOT NULL,
  intent_metadata jsonb NOT NULL,
  external_path text NOT NULL,
  "order" integer NOT NULL,
  is_virtual_file boolean NOT NULL,
  integration_hidden boolean NOT NULL,
  CONSTRAINT uploads_pkey PRIMARY KEY (bucket_id, upload_id),
  CONSTRAINT uploads_folder FOREIGN KEY (bucket_id, folder_key) REFERENCES uploads.folders(bucket_id, tree_key) DEFERRABLE
);

CREATE UNIQUE INDEX buckets_primary_of_organisation ON uploads.buckets USING btree (organisation_id) WHERE is_primary;

CREATE INDEX folders_hidden ON uploads.folders USING btree (bucket_id, tree_key) WHERE integration_hidden;

CREATE INDEX uploads_by_created_at ON uploads.uploads USING btree (bucket_id, created_at, upload_id);

CREATE INDEX uploads_by_filename ON uploads.uploads USING btree (bucket_id, filename, upload_id);

CREATE INDEX uploads_by_folder ON uploads.uploads USING btree (bucket_id, folder_key, filename, upload_id);

CREATE INDEX uploads_by_order ON uploads.uploads USING btree (bucket_id, "order", upload_id);

CREATE INDEX uploads_by_size_bytes ON uploads.uploads USING btree (bucket_id, size_bytes, upload_id);

CREATE INDEX uploads_by_updated_at ON uploads.uploads USING btree (bucket_id, updated_at, upload_id);

CREATE OR REPLACE FUNCTION uploads.tree_key(path text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN CASE WHEN (path = '/'::text) THEN ''::text ELSE replace(replace(replace(path, chr(2), (chr(2) || chr(2))), chr(1), (chr(2) || chr(1))), '/'::text, chr(1)) END;

CREATE TYPE uploads.key_range AS RANGE (SUBTYPE = text, COLLATION = "C");
