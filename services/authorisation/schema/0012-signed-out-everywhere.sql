-- Whoever signed in before this time is signed out. To remove their sessions is not enough: a
-- sign-in that is not complete yet has left none.
alter table accounts add column if not exists signed_out_at timestamptz;
