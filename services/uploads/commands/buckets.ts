/** The commands of buckets: they add, list and remove them. */
import { printText, tableText } from "@stowage/process";
import { Command } from "commander";
import { parseHostname, parseOrganisationId } from "../command-line/arguments.ts";
import { findOrMakeBucket } from "../command-line/bucket-options.ts";
import { findBucketByHostname } from "../command-line/find-bucket.ts";
import { withDatabase } from "../command-line/open-database.ts";
import { type CommandContext, runCommands, settingsTable } from "../command-line/program.ts";
import { runImport } from "../import/run-import.ts";
import { formatCount, formatThings } from "../model/format.ts";
import { readBuckets } from "./buckets/read-buckets.ts";
import { removeBucket } from "./buckets/remove-bucket.ts";

const headings = [
  "BUCKET",
  "ID",
  "ORGANISATION",
  "PRIMARY",
  "SOURCES",
  "FOLDERS",
  "UPLOADS",
  "BYTES",
];

await runCommands(
  {
    name: "buckets",
    description: "Adds, lists and removes buckets.",
    examples: ["stowage buckets add photos.example.com --organisation acme"],
    settingsTable,
    environment: process.env,
  },
  (context) => [addCommand(context), listCommand(context), removeCommand(context)],
);

function addCommand(context: CommandContext): Command {
  return new Command("add")
    .description("Adds an empty bucket, and prints its ID.")
    .argument("<host>", "its host name", parseHostname)
    .requiredOption(
      "--organisation <id>",
      "the organisation that it belongs to",
      parseOrganisationId,
    )
    .option("--primary", "requests that name no bucket read it; the first bucket always is primary")
    .action((bucket: string, options: { organisation: string; primary?: true }) =>
      withDatabase(context, async (client) => {
        if ((await findBucketByHostname(client, bucket)) !== undefined) {
          throw new Error(
            `Cannot add bucket ${bucket}: a bucket has this host name already; need another one`,
          );
        }
        const { bucketId, record } = await findOrMakeBucket(client, { bucket, ...options });
        const records = (async function* () {
          if (record !== undefined) yield [record];
        })();
        await runImport(client, records, {
          uploadColumns: "all",
          mayChangeBuckets: false,
        });
        printText(`${bucketId}\n`);
      }),
    );
}

function listCommand(context: CommandContext): Command {
  return new Command("list")
    .description("Lists the buckets by host name, with what is in them.")
    .option("--json", "print a JSON array")
    .action(({ json }: { json?: true }) =>
      withDatabase(context, async (client) => {
        const buckets = await readBuckets(client);
        const lines = buckets.map((bucket) => [
          bucket.hostname,
          bucket.bucketId,
          bucket.organisationId,
          bucket.primary ? "yes" : "no",
          ...[bucket.sources, bucket.folders, bucket.uploads, bucket.sizeBytes].map(formatCount),
        ]);
        if (json) process.stdout.write(`${JSON.stringify(buckets)}\n`);
        else if (lines.length > 0) printText(tableText(headings, lines));
        else printText("no buckets; add one with: stowage buckets add\n", process.stderr);
      }),
    );
}

function removeCommand(context: CommandContext): Command {
  return new Command("remove")
    .description("Removes a bucket with everything in it. Its sources must be removed first.")
    .argument("<host>", "its host name", parseHostname)
    .option("--yes", "even if it contains uploads")
    .action((hostname: string, { yes = undefined }: { yes?: true }) =>
      withDatabase(context, async (client) => {
        const uploads = await removeBucket(client, hostname, { evenIfFull: yes === true });
        printText(`removed bucket ${hostname}: ${formatThings(uploads, "upload")}\n`);
      }),
    );
}
