/** `import dir`: the files of a directory, as uploads. */
import { posix } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { addBucketOptions, type BucketOptions } from "../../command-line/bucket-options.ts";
import type { CommandContext } from "../../command-line/program.ts";
import { openInProcess } from "../../sources/directory/list-in-process.ts";
import { remarksOnSkipped } from "../../sources/directory/skipped-entries.ts";
import { dataFoldersOf } from "../../sources/open-source.ts";
import { importObjects } from "./import-objects.ts";
import { withImport } from "./with-import.ts";

interface DirectoryCommandOptions extends BucketOptions {
  readonly exclude?: readonly string[];
}

const help = `
Every file under the directory becomes an upload, and every directory a folder; the directory itself
is the root. The file gives the size, the times and, by its extension, the type. IDs are made from
the bucket, the path and the name, so importing the same directory twice changes nothing. In an
upload that the index already has, only path, name, size, times and type are replaced: tags,
descriptions and all other fields stay. The import deletes nothing from the index. Bytes of names
that are not UTF-8 are written as %XX.

createdAt is when the file was made or last changed, whichever is earlier; updatedAt is when it was
last changed. Symbolic links, sockets, devices, the data folder (DATA_DIR), /var/lib/stowage and the
paths given to --exclude are left out. Entries that cannot be read, and paths over 1024 bytes, are
listed with the reason; everything else is imported, and the exit code is 1.

Example:
  stowage import dir ~/Pictures --bucket pictures.localhost --organisation acme --exclude .cache`;

export function directoryCommand(context: CommandContext): Command {
  return addBucketOptions(new Command("dir"))
    .description("Imports the files of a directory.")
    .argument("<directory>", "the directory")
    .option(
      "--exclude <path>",
      "leave out this file or directory; a path relative to the directory; may be repeated",
      collectPath,
    )
    .addHelpText("after", help)
    .action((directory: string, options: DirectoryCommandOptions) =>
      importDirectory(directory, options, context),
    );
}

/** Adds a path under the directory, in normal form, to the earlier ones. */
export function collectPath(text: string, earlier: readonly string[] = []): readonly string[] {
  const path = posix.normalize(text).replace(/\/$/, "");
  if (path === "." || posix.isAbsolute(path) || path.split("/").includes("..")) {
    throw new InvalidArgumentError("Need a path relative to the directory, and under it.");
  }
  return [...earlier, path];
}

async function importDirectory(
  directory: string,
  { exclude = [], ...options }: DirectoryCommandOptions,
  context: CommandContext,
): Promise<void> {
  const dataFolders = dataFoldersOf(context.settings());
  await using opened = await openInProcess({ directory, exclude, dataFolders }, context.signal);
  const { root, lister } = opened;
  const inDirectory = root === "/" ? root : `${root}/`;
  await withImport(context, { thing: "file" }, async (client, progress) => {
    await importObjects(client, lister, {
      ...options,
      from: directory,
      mount: { prefix: "", mountPath: "/" },
      tags: false,
      displayName: (key) => `${inDirectory}${key}`.replace(/\/$/, ""),
      remarks: () => remarksOnSkipped(lister.skipped),
      progress,
      signal: context.signal,
    });
  });
}
