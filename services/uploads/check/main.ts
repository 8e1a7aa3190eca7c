/**
 * Checks the derived data of the index: every document against the columns of its row, the sizes of
 * buckets against counts, and the skip index against the names of the uploads. Exits with 1 if
 * something is wrong.
 */
import {
  createLogger,
  openDatabase,
  openPool,
  readSettings,
  rows,
  runProgram,
  type SettingsTable,
} from "@stowage/process";
import { createDatabase, type Run } from "../postgres/database.ts";
import { prepareDatabase } from "../postgres/prepare-database.ts";
import { RawClient } from "../postgres/raw-client.ts";
import { missingBits } from "./missing-bits.ts";
import { type RebuiltDocument, rebuiltDocuments } from "./rebuilt-documents.ts";
import { wrongSizes } from "./wrong-sizes.ts";

const settingsTable = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: { ...rows.logLevel(), defaultText: "warn" },
} satisfies SettingsTable;

/** Errors of a kind that are listed; the rest are only counted. */
const listedMax = 20;
/** Characters shown of each text, from a few before the first difference. */
const shownLength = 100;
const shownBefore = 20;

await runProgram("check", async ({ signal }) => {
  const settings = readSettings(settingsTable, process.env);
  const logger = createLogger({ name: "check", level: settings.logLevel });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const applicationName = "stowage-check";
  const pool = openPool({
    databaseUrl,
    connectionsMax: 2,
    applicationName,
    logger,
    Client: RawClient,
  });
  try {
    await prepareDatabase(databaseUrl, logger);
    const database = createDatabase(pool, pool);
    await database.read({ signal }, ({ run }) => checkDocuments(run));
    await database.read({ signal }, ({ run }) => checkSizes(run));
    await database.read({ signal, snapshot: true }, ({ run }) => checkSkipIndexes(run));
  } finally {
    await pool.end();
    await close();
  }
});

async function checkSizes(run: Run): Promise<void> {
  const wrong = await wrongSizes(run);
  for (const { bucketId, stored, counted } of wrong) {
    process.stdout.write(
      `bucket ${bucketId}: got ${stored.folders} folders and ${stored.uploads} uploads, ` +
        `need ${counted.folders} and ${counted.uploads}\n`,
    );
  }
  if (wrong.length > 0) {
    throw new Error(
      "The sizes of some buckets are wrong; delete their rows in uploads.bucket_sizes, and the " +
        "next import counts them",
    );
  }
}

async function checkSkipIndexes(run: Run): Promise<void> {
  let count = 0;
  for await (const { bucketId, nGram, sortBy } of missingBits(run)) {
    count += 1;
    if (count > listedMax) continue;
    process.stdout.write(
      `bucket ${bucketId}: searches with ${JSON.stringify(nGram)} by ${sortBy} miss uploads\n`,
    );
  }
  if (count > 0) {
    throw new Error(
      "Some searches skip blocks that contain matches; delete the rows of those buckets in " +
        "uploads.skip_index_buckets, and the next import rebuilds their skip indexes",
    );
  }
}

async function checkDocuments(run: Run): Promise<void> {
  let count = 0;
  let wrongCount = 0;
  for await (const compared of rebuiltDocuments(run)) {
    count += 1;
    if (compared.document === compared.rebuilt) continue;
    wrongCount += 1;
    if (wrongCount <= listedMax) process.stdout.write(`${differenceOf(compared)}\n`);
  }
  process.stdout.write(`${count} documents compared, ${wrongCount} wrong\n`);
  if (wrongCount > 0) {
    throw new Error(
      "Some documents do not match their columns; update those rows, and report how it happened",
    );
  }
}

function differenceOf({ table, bucketId, id, document, rebuilt }: RebuiltDocument): string {
  let at = 0;
  while (document[at] === rebuilt[at]) at += 1;
  const start = Math.max(0, at - shownBefore);
  const shown = (text: string) => JSON.stringify(text.slice(start, start + shownLength));
  return (
    `${table} ${bucketId} ${JSON.stringify(id)}, from character ${start}: ` +
    `got ${shown(document)}, need ${shown(rebuilt)}`
  );
}
