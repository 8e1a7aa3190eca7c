/** `import s3`: the objects of a bucket in an S3 store, as uploads. */
import { Command } from "commander";
import { parsePath } from "../../command-line/arguments.ts";
import { addBucketOptions, type BucketOptions } from "../../command-line/bucket-options.ts";
import type { CommandContext } from "../../command-line/program.ts";
import { addStoreOptions, type StoreOptions } from "../../command-line/store-options.ts";
import { StoreError } from "../../sources/s3/store-error.ts";
import { parseManifestAddress, parseS3Folder } from "../../sources/s3/store-location.ts";
import { importObjects } from "./import-objects.ts";
import { withImport } from "./with-import.ts";

interface S3CommandOptions extends StoreOptions, BucketOptions {
  readonly mount: string;
  readonly inventory?: ReturnType<typeof parseManifestAddress>;
}

/** What is imported, also as it is on the command line. */
interface Address {
  readonly text: string;
  readonly bucket: string;
  readonly prefix: string;
}

function parseAddress(text: string): Address {
  return { text, ...parseS3Folder(text) };
}

const help = `
Every object becomes an upload. Its key, without the prefix, is divided at "/": the last part is the
filename, the others are the path under the mount folder. Parts that no path may have are written
with "%" (api/sources.md). An empty object whose key ends with "/" is a folder. IDs are made from
the bucket, the path and the name, so importing the same objects twice changes nothing. In an upload
that the index already has, only path, name, size, times, type and intentMetadata.s3 are replaced,
and tags with --tags. The import deletes nothing from the index.

updatedAt is when the object was last changed; createdAt is that time at the first import.
Credentials come from the default chain of AWS programs (environment, configuration files,
single sign-on, roles of the machine) or from --profile. They are not stored.

Example:
  stowage import s3 s3://pictures/2026 --bucket pictures.localhost --organisation acme`;

export function s3Command(context: CommandContext): Command {
  return addStoreOptions(addBucketOptions(new Command("s3")))
    .description("Imports the objects of a bucket in an S3 store.")
    .argument("<address>", "s3://BUCKET, or s3://BUCKET/PREFIX for one folder of it", parseAddress)
    .option("--mount <path>", "folder of the bucket to import into", parsePath, "/")
    .option(
      "--inventory <address>",
      "list the bucket from this S3 Inventory report: s3://BUCKET/…/manifest.json",
      parseManifestAddress,
    )
    .addHelpText("after", help)
    .action((address: Address, options: S3CommandOptions) => importS3(address, options, context));
}

async function importS3(
  { text, bucket, prefix }: Address,
  { mount, inventory: manifest, ...options }: S3CommandOptions,
  context: CommandContext,
): Promise<void> {
  const { signal } = context;
  try {
    await withImport(context, { thing: "object" }, async (client, progress) => {
      const { listStore } = await import("../../sources/list-store.ts");
      const location = { ...options, bucket, prefix };
      const { lister } = await listStore({ location, manifest }, signal);
      await importObjects(client, lister, {
        ...options,
        from: text,
        mount: { prefix, mountPath: mount },
        tags: options.tags ?? false,
        displayName: (key) => key,
        remarks: () => [],
        progress,
        signal,
      });
    });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new Error(`Cannot import ${text}: ${error.message}`);
  }
}
