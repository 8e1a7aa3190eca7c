/** The program: reads the settings, opens the database, and runs the service until a signal. */
import {
  createLogger,
  describeSettings,
  exitOnWrongUsage,
  openMetrics,
  readSettings,
  runProgram,
  untilDrained,
} from "@stowage/process";
import { Command } from "commander";
import { startService } from "./service.ts";
import { serviceSettings } from "./settings.ts";
import { findEncryptionKeys } from "./signing/encryption-keys.ts";
import { openStore } from "./store/open-store.ts";

const settingsHelp = `\nSettings come from the environment:\n${describeSettings(serviceSettings)}`;

await runProgram("authorisation", async ({ signal }) => {
  const program = new Command("authorisation")
    .description("Issues access tokens to the clients that were added with the command clients.")
    .option("--check-settings", "only say whether the settings are right")
    .addHelpText("after", settingsHelp);
  exitOnWrongUsage(program);
  program.parse();

  const settings = readSettings(serviceSettings, process.env);
  const encryptionKeys = await findEncryptionKeys(settings);
  if (program.opts().checkSettings) return;
  const logger = createLogger({ name: "authorisation", level: settings.logLevel });
  const metrics = await openMetrics({ ...settings, logger });
  const database = await openStore({ ...settings, logger });
  try {
    const service = await startService({
      ...settings,
      databaseUrl: database.databaseUrl,
      audiences: settings.audience,
      encryptionKeys,
      keyPublicationSeconds: settings.keyPublicationS,
      metrics,
      logger,
      signal,
    });
    process.stdout.write(`authorisation: listening on ${service.authUrl}\n`);
    await untilDrained(signal, settings.drainMs);
    logger.info("stopping");
    await service.stop();
  } finally {
    await database.close();
    await metrics.close();
  }
});
