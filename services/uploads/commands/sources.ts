/** The commands of sources: what folders of buckets mirror, and the runs that keep them so. */
import { runCommands } from "../command-line/program.ts";
import { addCommand } from "./sources/add-source.ts";
import { settingsTable } from "./sources/context.ts";
import { hintsCommand } from "./sources/hint-address.ts";
import { deletedCommand } from "./sources/list-deleted.ts";
import { listCommand, runsCommand } from "./sources/list-sources.ts";
import { pauseCommand, resumeCommand } from "./sources/pause-source.ts";
import { removeCommand } from "./sources/remove-source.ts";
import { syncCommand } from "./sources/sync-source.ts";

await runCommands(
  {
    name: "sources",
    description: "Adds, lists, runs and removes the places that folders of buckets mirror.",
    examples: [
      "stowage sources add s3 s3://acme-photos --bucket photos.example.com " +
        "--organisation acme \\\n    --name photos",
      "stowage sources sync photos",
    ],
    settingsTable,
    environment: process.env,
  },
  (context) => [
    addCommand(context),
    listCommand(context),
    runsCommand(context),
    syncCommand(context),
    deletedCommand(context),
    hintsCommand(context),
    pauseCommand(context),
    resumeCommand(context),
    removeCommand(context),
  ],
);
