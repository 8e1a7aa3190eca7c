/** `keys rotate`: has another key sign from soon on. */
import { Command } from "commander";
import { rotateKeys } from "../signing/change-keys.ts";
import { removedAtMs } from "../signing/key-times.ts";
import { timeText } from "./time-text.ts";
import type { WithKeys } from "./with-keys.ts";

const help = `
The new key is published at once, and signs when it has been published for KEY_PUBLICATION_S, so
that whoever checks tokens can know it by then. The old key stays published until the last token
that it signed has expired. No token is refused, and no service restarted. While a rotation is
under way, another is refused.
`;

/** The command, for `main.ts`. */
export function rotateCommand(withKeys: WithKeys): Command {
  return new Command("rotate")
    .description("Publishes a new key, signs with it soon, and lets go of the old one in the end.")
    .addHelpText("after", help)
    .action(async () => {
      const { changed } = await withKeys(rotateKeys);
      const added = changed.find(({ retiredAtMs }) => retiredAtMs === undefined);
      const retired = changed.find(({ retiredAtMs }) => retiredAtMs !== undefined);
      if (added === undefined) throw new Error("Cannot tell the new key: there is none");
      const lines = [`published key ${added.keyId}; it signs from ${timeText(added.signsFromMs)}`];
      if (retired?.retiredAtMs !== undefined) {
        const until = timeText(removedAtMs(retired.retiredAtMs));
        lines.push(`key ${retired.keyId} signs until then, and stays published until ${until}`);
      }
      process.stdout.write(`${lines.join("\n")}\n`);
    });
}
