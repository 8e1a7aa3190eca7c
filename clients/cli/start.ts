/** `npm start`: runs all services with an index of real files until Ctrl-C. */
import { constants } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { dataDirOf } from "./access/local-client.ts";
import { endWithOutput, exitOnWrongUsage, reportFailure } from "./command-line.ts";
import { listenForStop } from "./programs/start-program.ts";
import {
  isPageOld,
  requireFreePorts,
  requireOwnDataFolder,
  requireRightSettings,
} from "./start/check-start.ts";
import { chooseDirectory } from "./start/fill-index.ts";
import { ProgramGroup } from "./start/program-group.ts";
import { runEverything } from "./start/run-everything.ts";

const help = `
Settings come from the environment, which the services inherit:
  PORT          port of the uploads service (default: 8080)
  AUTH_PORT     port of the authorisation service (default: 8081)
  WEB_PORT      port of the page (default: 8082)
  METRICS_PORT, AUTH_METRICS_PORT, WEB_METRICS_PORT
                ports of their /metrics (default: none)
  HOST          address that they listen on (default: 127.0.0.1)
  BASE_URL      address to show for the uploads service (default: where it listens)
  AUTH_URL      the issuer (default: where the authorisation service listens)
  PAGE_URL      address of the page for browsers, on https or on this machine (default: one of
                this machine, whose browsers alone can use the page then)
  DATABASE_URL  PostgreSQL to use; without it an embedded one runs under DATA_DIR
  DATA_DIR      folder of the embedded database and of stored secrets (default: ./data)
  LOG_LEVEL     lowest severity that the services log (default: warn; info if you set ACCESS_LOG
                to on or sampled)
docs/settings.md lists all settings.

Example:
  PORT=9000 npm start -- ~/Pictures
`;

const program = new Command("npm start --")
  .description("Starts all services with an index of a directory, and prints a link that opens it.")
  .argument("[directory]", "the directory (default: this checkout, without node_modules)")
  .addHelpText("after", help)
  .action(start);
exitOnWrongUsage(program);
endWithOutput();

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
}
// Do not wait for handles that are still open.
process.exit();

async function start(given: string | undefined): Promise<void> {
  const dataDir = dataDirOf(process.env);
  const directory = await chooseDirectory(given, dataDir);
  if (!(await requireRightSettings())) return;
  await requireOwnDataFolder(dataDir);
  await requireFreePorts(process.env);
  if (!process.env.PAGE_DIR && (await isPageOld(join(import.meta.dirname, "../..")))) {
    process.stderr.write("stowage: The page is older than its sources: npm run build renews it\n");
  }

  const programs = new ProgramGroup();
  const stopped = Promise.withResolvers<void>();
  let stoppedBy: NodeJS.Signals = "SIGINT";
  let isStopping = false;
  listenForStop((signal) => {
    // Programs that still run end with their parent.
    if (isStopping) process.exit(128 + constants.signals[signal]);
    isStopping = true;
    stoppedBy = signal;
    process.stdout.write("\nStopping; Ctrl-C again ends everything at once.\n");
    stopped.resolve();
  });
  try {
    await Promise.race([
      stopped.promise,
      programs.failed,
      runEverything({ programs, directory, dataDir }),
    ]);
  } finally {
    isStopping = true;
    await programs.stop(stoppedBy);
  }
}
