-- When a person first allowed a client something; null: before this was recorded.
alter table consents add column if not exists given_at timestamptz;
alter table consents alter column given_at set default now();
