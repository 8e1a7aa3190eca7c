/** The command `stowage`: starts the services, fills the index, and queries it. */
import { Command } from "commander";
import { endWithOutput, exitOnWrongUsage, reportFailure } from "./command-line.ts";
import { findCommand } from "./commands/find.ts";
import { getCommand } from "./commands/get.ts";
import { linkCommand } from "./commands/link.ts";
import { listUploadsCommand } from "./commands/list-uploads.ts";
import { loginCommand } from "./commands/login.ts";
import { logoutCommand } from "./commands/logout.ts";
import { helpCommand, programCommands } from "./commands/programs.ts";
import { showDetailsCommand } from "./commands/show-details.ts";
import { showSizesCommand } from "./commands/show-sizes.ts";
import { showTreeCommand } from "./commands/show-tree.ts";
import { tokenCommand } from "./commands/token.ts";
import { whoamiCommand } from "./commands/whoami.ts";
import about from "./package.json" with { type: "json" };

const help = `
Examples:
  npm start                        all services, with the files of this checkout in the index
  stowage login                    sign in to the services that npm start runs
  stowage find readme              the folders and files with that text in their path
  stowage ls /docs                 what is in the folder /docs
  stowage du                       where the space went

docs/settings.md lists the settings, and docs/running.md says how to run the services.
`;

endWithOutput();
// As the services do. Otherwise an empty variable would be the value of an option.
for (const [name, value] of Object.entries(process.env)) if (value === "") delete process.env[name];
const program = new Command("stowage")
  .description("Runs and manages Stowage, an index of files, and lists and downloads the files.")
  .version(about.version, "-V, --version", "print the version")
  // The programs that commands start parse their own options.
  .enablePositionalOptions()
  .helpCommand(false)
  .addHelpText("after", help);
const commands = [
  ...programCommands(),
  loginCommand(),
  logoutCommand(),
  whoamiCommand(),
  tokenCommand(),
  findCommand(),
  listUploadsCommand(),
  showTreeCommand(),
  showSizesCommand(),
  showDetailsCommand(),
  getCommand(),
  linkCommand(),
  helpCommand(program),
];
for (const command of commands) program.addCommand(command);
exitOnWrongUsage(program);

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
}
