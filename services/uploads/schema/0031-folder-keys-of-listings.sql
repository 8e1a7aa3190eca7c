-- Listings had the keys of folders as a generated column. Now the program writes them, which takes
-- less time. A run that has begun its listing cannot continue: without a location, it begins anew.
update uploads.source_runs set location = null where phase = 'list' and ended_at is null;
