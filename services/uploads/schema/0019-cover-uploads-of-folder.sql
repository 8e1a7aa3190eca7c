-- The uploads of a folder by filename, as before, with what totals are made of and what names are
-- searched in (step 0014): for trees these are read along the index alone.
create index if not exists uploads_of_folder
  on uploads.uploads (bucket_id, folder_key, filename, upload_id)
  include (size_bytes, integration_hidden, integration_id, facets);

drop index if exists uploads.uploads_by_folder;
