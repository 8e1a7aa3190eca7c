create table if not exists uploads.integrations (
  bucket_id uuid not null references uploads.buckets,
  integration_id uuid not null,
  name text not null,
  oauth_client_id text collate "C" not null,
  folder_behavior smallint not null,
  folder_link_url text not null,
  primary key (bucket_id, integration_id)
);
