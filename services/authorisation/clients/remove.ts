/** `clients remove`: a client gets no more tokens. Those it has are good until they expire. */
import { Command } from "commander";
import { removeClient } from "../store/remove-client.ts";
import type { WithPool } from "../store/with-pool.ts";
import { parseClientId } from "./arguments.ts";

/** The command, for `main.ts`. */
export function removeCommand(withPool: WithPool): Command {
  return new Command("remove")
    .description("Removes a client. Tokens issued to it stay valid until they expire (one hour).")
    .argument("<id>", "the client's id", parseClientId)
    .action(async (clientId: string) => {
      if (!(await withPool((pool) => removeClient(pool, clientId)))) {
        throw new Error(`Cannot remove client ${clientId}: there is no such client`);
      }
      process.stdout.write(`removed client ${clientId}\n`);
    });
}
