-- The MD5 of the Inventory report that the run reads: another report at the same address has other
-- positions, and another time.
alter table uploads.source_runs add column if not exists report_md5 text;
