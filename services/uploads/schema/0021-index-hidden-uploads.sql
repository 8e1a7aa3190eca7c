-- Whether a bucket hides uploads at all, as few do: lists of the others need not ask each upload.
create index if not exists uploads_hidden
  on uploads.uploads (bucket_id) where integration_hidden;
