/** `stowage link`: prints a link to a file that needs no token. */
import { printText } from "@stowage/process/usage";
import { Command } from "commander";
import { connectionHelp } from "../access/connection.ts";
import { addContentOptions, type ContentOptions, linkContent } from "../access/content-link.ts";
import { parseDuration } from "../arguments.ts";

interface LinkOptions extends ContentOptions {
  readonly expires?: number;
  readonly attachment?: true;
}

const validSecondsDefault = 3600;
const validSecondsMax = 604_800;

const help = `
Anyone who has the link can read the file until the link expires, without signing in. The link also
ends when the file is removed from the index. A single link cannot be revoked.
${connectionHelp}
Example:
  stowage link /photos/cat.jpg --expires 2h
`;

/** The command, for `main.ts`. */
export function linkCommand(): Command {
  const command = new Command("link").description(
    "Prints a link that lets anyone read a file for a limited time.",
  );
  return addContentOptions(command)
    .option(
      "--expires <duration>",
      "how long it is valid, at most 7d: 90s, 30m, 2h (default: 1h)",
      parseDuration(1, validSecondsMax),
    )
    .option("--attachment", "browsers save the file instead of showing it")
    .addHelpText("after", help)
    .action(async (path: string, options: LinkOptions) => {
      const { expires: expiresInSeconds = validSecondsDefault, attachment = false } = options;
      const { url } = await linkContent(path, options, { expiresInSeconds, attachment });
      printText(`${url}\n`);
    });
}
