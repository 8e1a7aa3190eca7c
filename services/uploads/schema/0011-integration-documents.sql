-- An integration as answers have it. The columns are what is true; the document is made from them.
create or replace function uploads.integration_document(
  integration_id uuid, name text, oauth_client_id text, folder_behavior smallint,
  folder_link_url text
) returns text
  language sql immutable parallel safe
  return '{"integrationId":"' || integration_id
    || '","name":' || to_json(name)
    || ',"oauthClientId":' || to_json(oauth_client_id)
    || ',"folderBehavior":"' || (array[
      'INTEGRATION_FOLDER_BEHAVIOR_UNSPECIFIED',
      'INTEGRATION_FOLDER_BEHAVIOR_OPEN_IN_FOLDER',
      'INTEGRATION_FOLDER_BEHAVIOR_OPEN_LINK'])[folder_behavior + 1]
    || '","folderLinkUrl":' || to_json(folder_link_url) || '}';

alter table uploads.integrations add column if not exists document text not null
  generated always as (uploads.integration_document(
    integration_id, name, oauth_client_id, folder_behavior, folder_link_url)) stored;
