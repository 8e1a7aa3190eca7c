/** `sources hints`: the address, or the queue, by which a store tells of changes. */
import { printText } from "@stowage/process";
import { Command, InvalidArgumentError } from "commander";
import { withDatabase } from "../../command-line/open-database.ts";
import { makeHintSecret, removeHints, setHintQueue } from "../../sources/hints/hint-secret.ts";
import { findSource, locationText } from "../../sources/source.ts";
import type { SourcesContext } from "./context.ts";

const help = `
The address contains a secret and is printed only once. Give it to the store as the place for its
events (S3 event notifications, a topic of Ceph, a webhook of MinIO). Whoever has it can make
\`stowage serve sync\` look at single files again, and nothing else. A new address replaces the
one before.

With --sqs, there is no address: \`stowage serve sync\` takes all messages from the queue, which no
other program may need. It finds credentials as for the store.`;

interface HintOptions {
  readonly url: URL;
  readonly sqs?: URL;
  readonly remove?: true;
}

export function hintsCommand(context: SourcesContext): Command {
  return new Command("hints")
    .description(
      "Makes an address at which a store tells of changes, so that they show in seconds.",
    )
    .argument("<name>", "the source")
    .option(
      "--url <url>",
      "the address of `stowage serve sync`, as the store reaches it",
      parseUrl,
      new URL("http://127.0.0.1:8083"),
    )
    .option("--sqs <url>", "read the events from this queue of SQS in place of that", parseUrl)
    .option("--remove", "remove the address, whose secret is no longer valid, and the queue")
    .addHelpText("after", help)
    .action((name: string, options: HintOptions) => setHints(context, name, options));
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new InvalidArgumentError("Need an address such as https://sync.example.com.");
}

async function setHints(
  context: SourcesContext,
  name: string,
  { url, sqs, remove }: HintOptions,
): Promise<void> {
  await withDatabase(context, async (client) => {
    const source = await findSource(client, name);
    if (remove) {
      await removeHints(client, source);
      printText(`no store can send hints to ${name} any more\n`);
      return;
    }
    const { location, everyMs, sourceId } = source;
    if (location.kind !== "s3") throw new Error(`Cannot take hints: ${name} is no store`);
    if (everyMs === undefined) throw new Error(`Cannot take hints: ${noSchedule(name)}`);
    if (sqs !== undefined) {
      await setHintQueue(client, source, sqs.href);
      printText(`\`stowage serve sync\` reads the events of ${name} from ${sqs.href}\n`);
      return;
    }
    const secret = await makeHintSecret(client, source);
    printText(`for events of ${locationText(location)}, shown only now:\n`, process.stderr);
    const folder = url.href.replace(/\/?$/, "/");
    process.stdout.write(`${folder}hints/${sourceId}?key=${secret}\n`);
  });
}

/** Hints may be lost. */
function noSchedule(name: string): string {
  return `${name} has no schedule, which finds what hints miss; add it again with --every`;
}
