/** The commands of sources: what folders of buckets mirror, and the runs that keep them so. */
import { runCommands } from "../commands/program.ts";
import { addCommand } from "./commands/add-source.ts";
import { settingsTable } from "./commands/context.ts";
import { listCommand, runsCommand } from "./commands/list-sources.ts";
import { pauseCommand, resumeCommand } from "./commands/pause-source.ts";
import { removeCommand } from "./commands/remove-source.ts";
import { syncCommand } from "./commands/sync-source.ts";

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
