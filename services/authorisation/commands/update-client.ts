/** `clients update`: changes what a client may do. */
import type { Command } from "commander";
import type pg from "pg";
import { type ClientChanges, type ClientRecord, updateClient } from "../store/clients.ts";
import { parseUuid } from "./arguments.ts";
import { addChangeableOptions, type ChangeableOptions, contradictionOf } from "./client-options.ts";
import { print } from "./output.ts";
import type { WithPool } from "./run-commands.ts";
import { addNameAndScopes } from "./tenant-options.ts";

const help = `
A list replaces the client's list: name all scopes and redirect URIs that it should have.
The next request of the client finds the changes. Tokens that it has stay as they are until they
expire, within the hour; refreshed tokens have only the scopes that are left.
With --no-first-party, its refresh tokens end too, and people are asked for their consent. Those who
have given it before are not asked again.

Example:
  stowage clients update 6f1c8a3e-0d1b-4f5e-9a57-1a2b3c4d5e6f \\
    --redirect-uri https://app.example.com/callback --redirect-uri http://localhost/callback`;

/** Defines the command. */
export function defineUpdate(command: Command, withPool: WithPool): void {
  command
    .description("Changes the scopes, redirect URIs and other properties of a client.")
    .argument("<id>", "the client's ID", parseUuid);
  addChangeableOptions(addNameAndScopes(command))
    .option("--no-first-party", "people are asked for their consent")
    .option("--no-any-organisation", "only people of its own organisation may use it")
    .addHelpText("after", help)
    .action(async (clientId: string, options: ChangeableOptions) => {
      const changes = changesOf(options);
      if (Object.keys(changes).length === 0) command.error("need something to change");
      const update = (pool: pg.Pool) => updateClient(pool, clientId, changes, check);
      const updated = await withPool(update).catch((error: Error) => {
        if (error instanceof ContradictionError) command.error(error.message);
        throw error;
      });
      if (updated === undefined) {
        throw new Error(`Cannot update client ${clientId}: there is no such client`);
      }
      print(updated, () => `updated client ${clientId}\n`, options.json);
    });
}

/** The client would not be as clients must be. */
class ContradictionError extends Error {}

function check(client: ClientRecord): void {
  const contradiction = contradictionOf(client, {});
  if (contradiction !== undefined) throw new ContradictionError(contradiction);
}

function changesOf(options: ChangeableOptions): ClientChanges {
  const { name, scope, redirectUri, postLogoutRedirectUri, backChannelLogoutUri } = options;
  const { firstParty, anyOrganisation } = options;
  return {
    ...(name !== undefined && { name }),
    ...(scope && { scopes: scope }),
    ...(redirectUri && { redirectUris: redirectUri }),
    ...(postLogoutRedirectUri && { postLogoutRedirectUris: postLogoutRedirectUri }),
    ...(backChannelLogoutUri !== undefined && { backChannelLogoutUri }),
    ...(firstParty !== undefined && { isFirstParty: firstParty }),
    ...(anyOrganisation !== undefined && { isForAnyOrganisation: anyOrganisation }),
  };
}
