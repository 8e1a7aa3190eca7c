-- The location of the source when the run began. The source can be changed afterwards, for example
-- to another endpoint, where the keys after the checkpoints are those of another listing.
alter table uploads.source_runs add column if not exists location jsonb;
