/** `accounts set-password`: gives a person a new password, and signs them out everywhere. */
import { prepareDenylist } from "@stowage/access-token/postgres";
import { Command } from "commander";
import { changePassword } from "../store/end-account-access.ts";
import type { WithPool } from "../store/with-pool.ts";
import { parseLoginName } from "./arguments.ts";
import { hashPassword } from "./password.ts";
import { readPassword } from "./read-password.ts";

/** The command, for `main.ts`. */
export function setPasswordCommand(withPool: WithPool): Command {
  return new Command("set-password")
    .description("Sets a new password, ends the account's sessions, and takes back its tokens.")
    .argument("<login name>", "whose password", parseLoginName)
    .option("--password-file <file>", "file that holds the password, or - (default: ask for it)")
    .action(async (loginName: string, options: { passwordFile?: string }) => {
      const passwordHash = await hashPassword(await readPassword(options.passwordFile));
      const isChanged = await withPool(async (pool) => {
        await prepareDenylist(pool);
        return await changePassword(pool, loginName, passwordHash);
      });
      if (!isChanged) throw new Error(`Cannot set a password: there is no account ${loginName}`);
      process.stdout.write(`set a new password for ${loginName}\n`);
    });
}
