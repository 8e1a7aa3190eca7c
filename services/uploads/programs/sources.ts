/** The commands of sources: what folders of buckets mirror, and the runs that keep them so. */
import { runCommands } from "../command-line/program.ts";
import { addCommand } from "../sources/commands/add-source.ts";
import { settingsTable } from "../sources/commands/context.ts";
import { listCommand, runsCommand } from "../sources/commands/list-sources.ts";
import { pauseCommand, resumeCommand } from "../sources/commands/pause-source.ts";
import { removeCommand } from "../sources/commands/remove-source.ts";
import { syncCommand } from "../sources/commands/sync-source.ts";

await runCommands(
  {
    name: "sources",
    description: "Adds, lists, runs and removes the sources of buckets.",
    settingsTable,
    environment: process.env,
  },
  (context) => [
    addCommand(context),
    listCommand(context),
    runsCommand(context),
    syncCommand(context),
    pauseCommand(context),
    resumeCommand(context),
    removeCommand(context),
  ],
);
