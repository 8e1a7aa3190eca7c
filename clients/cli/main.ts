/** The command `stowage`: starts the services, fills the index, asks it. */
import { Command } from "commander";
import { endWithReader, exitOnWrongUsage, reportFailure } from "./command-line.ts";
import { accountsCommand } from "./commands/accounts.ts";
import { auditCommand } from "./commands/audit.ts";
import { clientsCommand } from "./commands/clients.ts";
import { importCommand } from "./commands/import.ts";
import { keysCommand } from "./commands/keys.ts";
import { listUploadsCommand } from "./commands/list-uploads.ts";
import { serveCommand } from "./commands/serve.ts";
import { serviceAccountsCommand } from "./commands/service-accounts.ts";
import { showTreeCommand } from "./commands/show-tree.ts";
import { tokenCommand } from "./commands/token.ts";
import { tokensCommand } from "./commands/tokens.ts";

const help = `
Examples:
  npm start                        both services, with the files of this checkout in the index
  stowage ls --search readme       the newest uploads with that in their name
  stowage tree /docs               the folders under /docs

What to set and how to run the services is in docs/running.md.
`;

endWithReader();
const program = new Command("stowage")
  .description("An index of what lies in a bucket: lists uploads, shows the folder tree.")
  // So that the programs which commands start read their own options.
  .enablePositionalOptions()
  .addHelpText("after", help);
const commands = [
  serveCommand(),
  importCommand(),
  clientsCommand(),
  serviceAccountsCommand(),
  accountsCommand(),
  auditCommand(),
  tokenCommand(),
  tokensCommand(),
  keysCommand(),
  listUploadsCommand(),
  showTreeCommand(),
];
for (const command of commands) program.addCommand(command);
exitOnWrongUsage(program);

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
}
