-- The claim `email`, for clients that ask for the scope. Nobody has verified it, and it identifies
-- nobody: the login name may be another, and two accounts may have the same.
alter table accounts add column if not exists email text
  check (char_length(email) between 3 and 254);
