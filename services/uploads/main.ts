/**
 * The uploads service: `ListUploads` and `ListFolderTree` over Connect, gRPC and gRPC-Web. One
 * process, or as many workers as WORKERS says.
 */
import {
  createLogger,
  describeSettings,
  exitOnWrongUsage,
  findPort,
  isWorker,
  openDatabase,
  openMetrics,
  readSettings,
  reportReady,
  runProgram,
  type SettingsOf,
  superviseWorkers,
} from "@stowage/process";
import { Command } from "commander";
import { serve } from "./service.ts";
import { settingsTable } from "./settings.ts";

/** What ending takes beyond the time that running calls get. */
const endingMs = 10_000;

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(settingsTable)}`;

await runProgram("uploads", async ({ signal }) => {
  const program = new Command("uploads")
    .description("Lists the uploads of buckets and shows their folder trees.")
    .option("--check-settings", "only say whether the settings are right")
    .addHelpText("after", settingsHelp);
  exitOnWrongUsage(program);
  program.parse();

  const settings = readSettings(settingsTable, process.env);
  if (!program.opts().checkSettings) await run(settings, signal);
});

async function run(settings: SettingsOf<typeof settingsTable>, signal: AbortSignal): Promise<void> {
  const logger = createLogger({ name: "uploads", level: settings.logLevel });
  const metrics = await openMetrics({ ...settings, logger });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const options = { databaseUrl, logger, metrics, signal };
  try {
    if (isWorker()) {
      await serve(settings, { ...options, onListening: reportReady });
    } else if (settings.workers === 1) {
      await serve(settings, { ...options, onListening: sayListening });
    } else {
      await superviseWorkers({
        count: settings.workers,
        // An embedded database is open already, once for all.
        environment: { DATABASE_URL: databaseUrl, PORT: `${await findPort(settings)}` },
        signal,
        stopTimeoutMs: settings.drainMs + settings.shutdownGraceMs + endingMs,
        logger,
        onReady: sayListening,
      });
    }
  } finally {
    await close();
    await metrics.close();
  }
}

function sayListening(address: string): void {
  process.stdout.write(`uploads: listening on ${address}\n`);
}
