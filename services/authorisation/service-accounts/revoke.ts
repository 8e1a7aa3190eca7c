/** `service-accounts revoke`: ends an account, for good. */
import { Command } from "commander";
import { parseClientId as parseUuid } from "../clients/arguments.ts";
import { revokeServiceAccount } from "../store/revoke-service-account.ts";
import type { WithPool } from "../store/with-pool.ts";

const help = `
For an account that is no longer needed, or whose assertion others may have. It gets no more tokens,
and the services refuse those it has within two seconds. It cannot be undone: add another account.
`;

/** The command, for `main.ts`. */
export function revokeCommand(withPool: WithPool): Command {
  return new Command("revoke")
    .description("Ends an account, and takes back its tokens.")
    .argument("<id>", "the account's id", parseUuid)
    .addHelpText("after", help)
    .action(async (id: string) => {
      const outcome = await withPool((pool) => revokeServiceAccount(pool, id));
      if (outcome === "unknown") {
        throw new Error(`Cannot revoke service account ${id}: there is no such account`);
      }
      process.stdout.write(
        outcome === "revoked"
          ? `revoked service account ${id} and its tokens\n`
          : `service account ${id} was revoked before\n`,
      );
    });
}
