-- The source that a row came from. Only rows of a source can be gone from it. Without a default, no
-- row is rewritten.
alter table uploads.uploads add column if not exists source_id uuid;
alter table uploads.folders add column if not exists source_id uuid;
