import { create } from "@bufbuild/protobuf";
import {
  type Integration,
  type IntegrationFolderBehavior,
  IntegrationSchema,
} from "@stowage/api/svc/api/v1/integration_pb";
import sql, { raw, type Sql } from "sql-template-tag";

/** The integration's columns as one array: integrations are joined, and most rows have none. */
export type IntegrationColumns =
  | [id: string, name: string, oauthClientId: string, folderBehavior: string, folderLinkUrl: string]
  | null;

/** Selects the integration under `alias`, one of ours, as `IntegrationColumns`. */
export function integrationColumns(alias: string): Sql {
  const i = raw(alias);
  return sql`case when ${i}.integration_id is not null then array[${i}.integration_id::text,
    ${i}.name, ${i}.oauth_client_id, ${i}.folder_behavior::text, ${i}.folder_link_url] end`;
}

/** The message of `integrationColumns`. */
export function integrationOf(columns: IntegrationColumns): Integration | undefined {
  if (columns === null) return undefined;
  const [integrationId, name, oauthClientId, folderBehavior, folderLinkUrl] = columns;
  return create(IntegrationSchema, {
    integrationId,
    name,
    oauthClientId,
    folderBehavior: Number(folderBehavior) as IntegrationFolderBehavior,
    folderLinkUrl,
  });
}
