/** How whole trees stream: in what time and memory, and at whose cost. */
import type { Command } from "commander";
import { goalsTable } from "../frame/goals.ts";
import { readMemory } from "../programs/process-memory.ts";
import { listRequests, treeRequest } from "../stage/call-service.ts";
import { type DataBenchmarkRun, dataBenchmarkCommand } from "../stage/data-benchmark.ts";
import { newestOfFolder, pageRequest } from "../stage/list-shapes.ts";
import type { Stage } from "../stage/stage.ts";
import { compareTrees } from "./compare-trees.ts";
import { treeGoals } from "./goals.ts";
import { measureListsBeside } from "./measure-lists-beside.ts";
import { measureTree } from "./measure-trees.ts";
import { folderTree, uploadTree } from "./tree-kinds.ts";
import { listsBesideTable, mebibytes, treesTable } from "./tree-tables.ts";

export function treesCommand(signal: AbortSignal): Command {
  return dataBenchmarkCommand(
    {
      name: "trees",
      summary: "ListFolderTree of the whole bucket, beside COPY of the same documents",
      secondsDefault: 150,
      signal,
      // Trees of any size are to come, and in whatever time they take.
      environment: { TREE_NODES_MAX: "100000000", TIMEOUT_MAX_MS: "600000" },
    },
    measureTrees,
    compareTrees,
  );
}

/** What part of the time goes where. */
const parts = { folders: 0.3, uploads: 0.3, lists: 0.4 };

async function measureTrees(run: DataBenchmarkRun): Promise<string> {
  const { stage } = run;
  const during = (part: number) => ({ ...run, seconds: part * run.seconds });
  await warmUp(stage);
  const { residentBytes } = await readMemory(stage.service.processId);
  say("the tree of folders");
  const folders = await measureTree(during(parts.folders), folderTree, {
    residentBytes,
    roundsMin: 3,
  });
  say("the tree of folders and uploads");
  const uploads = await measureTree(during(parts.uploads), uploadTree, {
    residentBytes,
    roundsMin: 1,
  });
  say("lists while trees stream");
  const lists = await measureListsBeside(during(parts.lists));
  return [
    `**Whole trees.** Before the first the service had ${mebibytes(residentBytes)} MiB in use.`,
    treesTable([folders, uploads]),
    "**The newest 50 of the folder while a tree streams**",
    listsBesideTable(lists),
    goalsTable(treeGoals([folders, uploads], lists)),
  ].join("\n\n");
}

const warmUpCalls = 300;

/** Code is compiled and connections are open; small trees, so that no large one leaves memory. */
async function warmUp(stage: Stage): Promise<void> {
  const lists = listRequests(stage, pageRequest(newestOfFolder, stage.places), warmUpCalls);
  const trees = lists.map(() => treeRequest(stage, { maxDepth: 1 }));
  for (const requests of [lists, trees]) {
    await stage.load.obey({ kind: "each", port: stage.service.port, requests });
  }
}

function say(what: string): void {
  process.stderr.write(`bench: ${what}\n`);
}
