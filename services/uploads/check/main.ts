/**
 * Checks the derived data of the index: every document against the columns of its row, the sizes of
 * buckets and the totals of folders against counts, and the skip index against the names of the
 * uploads. Exits with 1 if something is wrong. With `--repair`, it corrects what is wrong.
 */
import {
  createLogger,
  describeSettings,
  exitOnWrongUsage,
  openDatabase,
  openPool,
  readSettings,
  rows,
  runProgram,
  type SettingsTable,
} from "@stowage/process";
import { Command } from "commander";
import { createDatabase } from "../postgres/database.ts";
import { prepareDatabase } from "../postgres/prepare-database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { findWrong, type Wrong, wrongText } from "./find-wrong.ts";
import { repair } from "./repair.ts";

const settingsTable = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: { ...rows.logLevel(), defaultText: "warn" },
} satisfies SettingsTable;

await runProgram("check", async ({ signal }) => {
  const program = new Command("stowage check")
    .description("Compares what imports derive from the rows of the index with the rows.")
    .option("--repair", "correct what is wrong; imports into those buckets wait meanwhile")
    .addHelpText(
      "after",
      `\nSettings come from the environment:\n${describeSettings(settingsTable)}`,
    )
    .action(({ repair: repairs }: { repair?: true }) => checkIndex(repairs === true, signal));
  exitOnWrongUsage(program);
  await program.parseAsync();
});

async function checkIndex(repairs: boolean, signal: AbortSignal): Promise<void> {
  const settings = readSettings(settingsTable, process.env);
  const logger = createLogger({ name: "check", level: settings.logLevel });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const pool = openPool({
    databaseUrl,
    connectionsMax: 2,
    applicationName: "stowage-check",
    logger,
    Client: RawClient,
  });
  try {
    await prepareDatabase(databaseUrl, logger);
    const database = createDatabase(pool, pool);
    const check = () =>
      database.read({ signal, snapshot: true }, ({ run }) =>
        findWrong(run, (line) => process.stdout.write(`${line}\n`)),
      );
    const wrong = await check();
    if (repairs && wrongText(wrong) !== "") {
      await repair(pool, signal, wrong);
      process.stdout.write(`repaired ${wrongText(wrong)}; checking again\n`);
      requireRight(await check());
    } else {
      requireRight(wrong);
    }
  } finally {
    await pool.end();
    await close();
  }
}

function requireRight(wrong: Wrong): void {
  const text = wrongText(wrong);
  if (text === "") return;
  throw new Error(
    `The index does not match its rows: ${text}; stowage check --repair corrects that, and ` +
      "please report how it happened",
  );
}
