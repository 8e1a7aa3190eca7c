-- What an upload is filtered by, in one short text, so that an index on a sort key can carry it
-- and a list need not look at rows that it does not hold:
--   /filename/slug/   folded; the slug only where it differs
--   1 tag 1 tag 1     between characters of code 1; nothing where there are no tags
-- with a `!` before it where the integration hides the upload. It is null, and says nothing, where
-- an index entry has no room for it beside the folder, or where a name or tag holds that
-- character.
create or replace function uploads.upload_facets(
  path text, filename_folded text, slug_folded text, tags text[], integration_hidden boolean
) returns text
  language plpgsql immutable parallel safe as $$
declare
  facets text := '/' || filename_folded || '/';
begin
  if slug_folded <> filename_folded then
    facets := facets || slug_folded || '/';
  end if;
  if strpos(facets || array_to_string(tags, ''), chr(1)) > 0 then
    return null;
  end if;
  if tags <> '{}' then
    facets := facets || chr(1) || array_to_string(tags, chr(1)) || chr(1);
  end if;
  if integration_hidden then
    facets := '!' || facets;
  end if;
  return case when octet_length(path) + octet_length(facets) <= 1000 then facets end;
end $$;

alter table uploads.uploads add column if not exists facets text collate "C"
  generated always as (uploads.upload_facets(
    path, filename_folded, slug_folded, tags, integration_hidden)) stored;
