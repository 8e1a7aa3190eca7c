/** `accounts sign-out`: ends a person's sessions, wherever they are. */
import { prepareDenylist } from "@stowage/access-token/postgres";
import { Command } from "commander";
import { signOutEverywhere } from "../store/end-account-access.ts";
import type { WithPool } from "../store/with-pool.ts";
import { parseLoginName } from "./arguments.ts";

/** The command, for `main.ts`. */
export function signOutCommand(withPool: WithPool): Command {
  return new Command("sign-out")
    .description("Ends an account's sessions, and takes back its tokens; it can sign in again.")
    .argument("<login name>", "who", parseLoginName)
    .action(async (loginName: string) => {
      const isSignedOut = await withPool(async (pool) => {
        await prepareDenylist(pool);
        return await signOutEverywhere(pool, loginName);
      });
      if (!isSignedOut) throw new Error(`Cannot sign out ${loginName}: there is no such account`);
      process.stdout.write(`signed out ${loginName}\n`);
    });
}
