-- The document of an upload: its JSON as answers have it, without its integration, which changes
-- independently. A read adds the document of the integration.

-- Not immutable, so that it is inlined: see json_time.
create or replace function uploads.user_member(member text, user_id bigint, username text)
  returns text
  language sql stable parallel safe
  return case when user_id is null then '' else
    ',"' || member || '":{"userId":' || user_id
      || ',"username":' || to_json(coalesce(username, '')) || '}' end;

create or replace function uploads.meta_uploads_document(meta_uploads jsonb) returns text
  language sql immutable parallel safe
  return (
    select '[' || coalesce(string_agg(format('{%s"metadataId":%s,"uploadUrl":%s,"downloadUrl":%s}',
      case when file ? 'type' then format('"type":{"type":%s,"n":%s,"filename":%s},',
        file -> 'type' -> 'type', file -> 'type' -> 'n', file -> 'type' -> 'filename') end,
      file -> 'metadataId', file -> 'uploadUrl', file -> 'downloadUrl'),
      ',' order by position), '') || ']'
    from jsonb_array_elements(meta_uploads) with ordinality as files (file, position));

create or replace function uploads.aliases_document(aliases jsonb) returns text
  language sql immutable parallel safe
  return (
    select '[' || coalesce(string_agg(format('{"aliasId":%s,"uploadId":%s,"path":%s,"slug":%s,'
      || '"url":%s,"hasPassword":%s,%s"maxUses":%s,"useCount":%s,"allowedUserIds":%s,'
      || '%s"externalPath":%s}',
      alias -> 'aliasId', alias -> 'uploadId', alias -> 'path', alias -> 'slug', alias -> 'url',
      alias -> 'hasPassword', '"expiresAt":' || (alias -> 'expiresAt')::text || ',',
      alias -> 'maxUses', alias -> 'useCount', uploads.json_text(alias -> 'allowedUserIds'),
      '"createdAt":' || (alias -> 'createdAt')::text || ',', alias -> 'externalPath'),
      ',' order by position), '') || ']'
    from jsonb_array_elements(aliases) with ordinality as links (alias, position));

create or replace function uploads.upload_document(
  upload_id text, filename text, path text, slug text, url text, content_url text,
  size_bytes bigint, type smallint, tags text[], integration_id uuid, allow_any_extension boolean,
  default_slug_extension text, generated_description text, meta_uploads jsonb, private boolean,
  aliases jsonb, created_at timestamptz, updated_at timestamptz, author_user_id bigint,
  author_username text, last_modified_by_user_id bigint, last_modified_by_username text,
  thumbnail_generation_version integer, ai_description_generation_version integer,
  ai_tags_generation_version integer, virus_scan_generation_version integer,
  ai_description_input_ref text, intent_metadata jsonb, external_path text, "order" integer,
  is_virtual_file boolean, integration_hidden boolean
) returns text
  language plpgsql immutable parallel safe as $$
begin
  return '{"uploadId":' || to_json(upload_id)
    || ',"filename":' || to_json(filename)
    || ',"path":' || to_json(path)
    || ',"slug":' || to_json(slug)
    || ',"url":' || to_json(url)
    || ',"contentUrl":' || to_json(content_url)
    || ',"sizeBytes":' || size_bytes
    || ',"type":"' || (array[
      'UPLOAD_TYPE_UNSPECIFIED', 'UPLOAD_TYPE_IMAGE', 'UPLOAD_TYPE_VIDEO', 'UPLOAD_TYPE_AUDIO',
      'UPLOAD_TYPE_DOCUMENT', 'UPLOAD_TYPE_ARCHIVE', 'UPLOAD_TYPE_TEXT', 'UPLOAD_TYPE_OTHER'
      ])[type + 1]
    || '","tags":' || to_json(tags)
    || ',"integrationId":"' || coalesce(integration_id::text, '')
    || '","allowAnyExtension":' || allow_any_extension
    || ',"defaultSlugExtension":' || to_json(default_slug_extension)
    || ',"generatedDescription":' || to_json(generated_description)
    || ',"metaUploads":' || case meta_uploads when '[]' then '[]'
      else uploads.meta_uploads_document(meta_uploads) end
    || ',"private":' || private
    || ',"aliases":' || case aliases when '[]' then '[]'
      else uploads.aliases_document(aliases) end
    || ',"createdAt":"' || uploads.json_time(created_at at time zone 'UTC')
    || '","updatedAt":"' || uploads.json_time(updated_at at time zone 'UTC') || '"'
    || uploads.user_member('author', author_user_id, author_username)
    || uploads.user_member('lastModifiedBy', last_modified_by_user_id, last_modified_by_username)
    || ',"thumbnailGenerationVersion":' || thumbnail_generation_version
    || ',"aiDescriptionGenerationVersion":' || ai_description_generation_version
    || ',"aiTagsGenerationVersion":' || ai_tags_generation_version
    || ',"virusScanGenerationVersion":' || virus_scan_generation_version
    || ',"aiDescriptionInputRef":' || to_json(ai_description_input_ref)
    || ',"intentMetadata":' || case intent_metadata when '{}' then '{}'
      else uploads.json_text(intent_metadata) end
    || ',"externalPath":' || to_json(external_path)
    || ',"order":' || "order"
    || ',"isVirtualFile":' || is_virtual_file
    || ',"integrationHidden":' || integration_hidden || '}';
end $$;
