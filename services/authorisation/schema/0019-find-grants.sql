-- Operators list grants and revoke one, so the row of a grant names it as the rows that rest on it
-- do. And they end what came from a session, which they know by a claim of its tokens.
update provider_records found set grant_id = known.grant_id
from (select distinct grant_id from provider_records where grant_id is not null) known
where found.model = 'Grant' and found.grant_id is null
  and found.id_hash = sha256(convert_to(known.grant_id, 'UTF8'));

create index if not exists authorisations_by_session
  on authorisations (session_id) where session_id is not null;
