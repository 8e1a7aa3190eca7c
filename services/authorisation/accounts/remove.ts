/** `accounts remove`: a person can sign in no more, and is signed out everywhere. */
import { prepareDenylist } from "@stowage/access-token/postgres";
import { Command } from "commander";
import { removeAccount } from "../store/end-account-access.ts";
import type { WithPool } from "../store/with-pool.ts";
import { parseLoginName } from "./arguments.ts";

/** The command, for `main.ts`. */
export function removeCommand(withPool: WithPool): Command {
  return new Command("remove")
    .description("Removes an account, ends its sessions, and takes back its tokens.")
    .argument("<login name>", "whose account", parseLoginName)
    .action(async (loginName: string) => {
      const isRemoved = await withPool(async (pool) => {
        await prepareDenylist(pool);
        return await removeAccount(pool, loginName);
      });
      if (!isRemoved) throw new Error(`Cannot remove account ${loginName}: there is none`);
      process.stdout.write(`removed account ${loginName}\n`);
    });
}
