/**
 * Compares what the index keeps of what it could work out: every document with the columns beside
 * it, the sizes of buckets with what is in them, the zones of searches with the names that stand in
 * them. Exits with 1 if one differs.
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
import { missingBits } from "./missing-bits.ts";
import { type RebuiltDocument, rebuiltDocuments } from "./rebuilt-documents.ts";
import { wrongSizes } from "./wrong-sizes.ts";

const settingsTable = {
  DATABASE_URL: rows.databaseUrl(),
  DATA_DIR: rows.dataDir(),
  LOG_LEVEL: { ...rows.logLevel(), defaultText: "warn" },
} satisfies SettingsTable;

/** Wrong things of a kind that are told one by one. */
const toldMax = 20;
/** Characters shown of each text, from a little before the first that differs. */
const shownLength = 100;
const shownBefore = 20;

await runProgram("check-documents", async ({ signal }) => {
  const settings = readSettings(settingsTable, process.env);
  const logger = createLogger({ name: "check-documents", level: settings.logLevel });
  const { databaseUrl, close } = await openDatabase({ ...settings, logger });
  const applicationName = "stowage-check-documents";
  const pool = openPool({ databaseUrl, connectionsMax: 2, applicationName, logger });
  try {
    await prepareDatabase(databaseUrl, logger);
    const database = createDatabase(pool, pool);
    await database.read({ signal }, checkDocuments);
    await database.read({ signal }, checkSizes);
    await database.read({ signal, snapshot: true }, checkZones);
  } finally {
    await pool.end();
    await close();
  }
});

async function checkSizes(run: Run): Promise<void> {
  const wrong = await wrongSizes(run);
  for (const { bucketId, kept, counted } of wrong) {
    process.stdout.write(
      `bucket ${bucketId}: got ${kept.folders} folders and ${kept.uploads} uploads, ` +
        `need ${counted.folders} and ${counted.uploads}\n`,
    );
  }
  if (wrong.length > 0) {
    throw new Error(
      "Cannot vouch for the sizes of buckets: some are not what is in them; delete their rows in " +
        "uploads.bucket_sizes, and the next import counts anew",
    );
  }
}

async function checkZones(run: Run): Promise<void> {
  let count = 0;
  for await (const { bucketId, nGram, sortBy } of missingBits(run)) {
    count += 1;
    if (count > toldMax) continue;
    process.stdout.write(
      `bucket ${bucketId}: searches with ${JSON.stringify(nGram)} by ${sortBy} pass over uploads\n`,
    );
  }
  if (count > 0) {
    throw new Error(
      "Cannot vouch for searches: some pass over zones that hold what they ask for; delete the " +
        "rows of those buckets in uploads.skip_index_buckets, and the next import makes them anew",
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
    if (wrongCount <= toldMax) process.stdout.write(`${differenceOf(compared)}\n`);
  }
  process.stdout.write(`${count} documents compared, ${wrongCount} wrong\n`);
  if (wrongCount > 0) {
    throw new Error(
      "Cannot vouch for the documents: some are not what their columns say; write those rows " +
        "anew, and report how it came about",
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
