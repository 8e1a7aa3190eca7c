/** Stores what the groups of another provider may access. */
import { inTransaction } from "@stowage/process";
import type pg from "pg";
import type { Details } from "../model/authorization-details.ts";
import { ensureOrganisation } from "./organisations.ts";

/** What a group may access. */
export interface ProviderGroup {
  /** As the provider names it. */
  groupName: string;
  organisationId: string;
  /** The limits; null: none. */
  authorizationDetails: Details | null;
}

const columns = `
  group_name as "groupName", organisation_id as "organisationId",
  authorization_details as "authorizationDetails"`;

/** Finds those of the groups that are known here, by name. */
export async function findProviderGroups(
  pool: pg.Pool,
  groupNames: readonly string[],
): Promise<ProviderGroup[]> {
  const { rows } = await pool.query<ProviderGroup>({
    name: "find-provider-groups",
    text: `
      select ${columns} from auth.provider_groups
      where group_name = any($1) order by group_name`,
    values: [groupNames],
  });
  return rows;
}

/** Lists all groups by name. */
export async function listProviderGroups(pool: pg.Pool): Promise<ProviderGroup[]> {
  const { rows } = await pool.query<ProviderGroup>(
    `select ${columns} from auth.provider_groups order by group_name`,
  );
  return rows;
}

/** Adds or replaces a group, and adds its organisation if it is new. */
export async function setProviderGroup(pool: pg.Pool, group: ProviderGroup): Promise<void> {
  const { groupName, organisationId, authorizationDetails } = group;
  await inTransaction(pool, async (connection) => {
    await ensureOrganisation(connection, organisationId);
    await connection.query(
      `insert into auth.provider_groups (group_name, organisation_id, authorization_details)
       values ($1, $2, $3) on conflict (group_name) do update set
         organisation_id = excluded.organisation_id,
         authorization_details = excluded.authorization_details`,
      [groupName, organisationId, authorizationDetails && JSON.stringify(authorizationDetails)],
    );
  });
}

/** Removes a group. Returns false if there is none. */
export async function removeProviderGroup(pool: pg.Pool, groupName: string): Promise<boolean> {
  const { rowCount } = await pool.query("delete from auth.provider_groups where group_name = $1", [
    groupName,
  ]);
  return rowCount === 1;
}
