-- The address of the Inventory report that a run reads, if any: its ranges are positions in that
-- report, so no other listing can continue them.
alter table uploads.source_runs add column if not exists inventory text;
