-- Trees and lists of one folder read a folder's uploads by name; the sorts walk a bucket in order.
create index if not exists uploads_by_folder
  on uploads.uploads (bucket_id, folder_key, filename, upload_id);
create index if not exists uploads_by_created_at
  on uploads.uploads (bucket_id, created_at, upload_id);
create index if not exists uploads_by_updated_at
  on uploads.uploads (bucket_id, updated_at, upload_id);
create index if not exists uploads_by_filename
  on uploads.uploads (bucket_id, filename, upload_id);
create index if not exists uploads_by_size_bytes
  on uploads.uploads (bucket_id, size_bytes, upload_id);
create index if not exists uploads_by_order
  on uploads.uploads (bucket_id, "order", upload_id);
