/** `sources deleted`: what is kept of files that a source deleted. */
import { printText, tableText } from "@stowage/process";
import { Command } from "commander";
import { withDatabase } from "../../command-line/open-database.ts";
import { formatThings, formatTime } from "../../model/format.ts";
import { query } from "../../postgres/named-parameters.ts";
import { findSource } from "../../sources/source.ts";
import type { SourcesContext } from "./context.ts";

const help = `
When a file is gone, its tags, description and the like are kept for DELETED_DATA_DAYS (30). If the
same file returns to the source, it has them again. A file that was moved has taken them along. The
last deletions come first.`;

/** Lines that are printed without `--all`. */
const shownMax = 50;

export function deletedCommand(context: SourcesContext): Command {
  return new Command("deleted")
    .description("Lists deleted files whose tags and description are kept for when they return.")
    .argument("<name>", "the source")
    .option("--all", `list all, not only the last ${shownMax}`)
    .option("--json", "print one JSON object a line")
    .addHelpText("after", help)
    .action((name: string, options: DeletedOptions) => listDeleted(context, name, options));
}

interface DeletedOptions {
  readonly all?: true;
  readonly json?: true;
}

interface DeletedFile {
  readonly uploadId: string;
  readonly path: string;
  readonly filename: string;
  readonly deletedAt: Date;
  readonly createdAt: Date;
  readonly slug: string | null;
  readonly tags: readonly string[];
  readonly details: string | null;
}

async function listDeleted(
  context: SourcesContext,
  name: string,
  { all, json }: DeletedOptions,
): Promise<void> {
  await withDatabase(context, async (client) => {
    const { sourceId } = await findSource(client, name);
    const limit = all ? null : shownMax + 1;
    const { rows } = await query<DeletedFile>(client, deletedFiles, { sourceId, limit });
    const shown = all ? rows : rows.slice(0, shownMax);
    if (json) for (const row of shown) process.stdout.write(`${jsonOf(row)}\n`);
    else if (shown.length > 0) printText(tableText(headings, shown.map(lineOf)));
    else printText(`nothing is kept of deleted files of ${name}\n`, process.stderr);
    if (rows.length > shown.length) {
      const last = formatThings(shownMax, "deletion");
      printText(`the last ${last}; --all lists more\n`, process.stderr);
    }
  });
}

const deletedFiles = `
  select upload_id as "uploadId", path, filename, deleted_at as "deletedAt",
    created_at as "createdAt", slug, coalesce(tags, '{}') as tags, details
  from uploads.deleted_uploads where source_id = :sourceId
  order by deleted_at desc, path, filename limit :limit`;

const headings = ["DELETED", "FILE", "TAGS", "ALSO KEPT"];

function lineOf({ deletedAt, path, filename, tags, ...file }: DeletedFile): string[] {
  const others = Object.keys(membersOf(file));
  const named = file.slug === null ? others : ["slug", ...others];
  const name = `${path === "/" ? "" : path}/${filename}`;
  return [formatTime(deletedAt), name, tags.join(", "), ["time of creation", ...named].join(", ")];
}

function jsonOf({ details, slug, ...file }: DeletedFile): string {
  return JSON.stringify({ ...file, ...(slug !== null && { slug }), ...membersOf({ details }) });
}

/** The members that few uploads have, such as the description; see answers/rare-members.ts. */
function membersOf({ details }: Pick<DeletedFile, "details">): Readonly<Record<string, unknown>> {
  const groups = (details ?? "").split("\u001f").filter((group) => group !== "");
  const members = JSON.parse(`{${groups.map((group) => group.slice(1)).join()}}`);
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => !isEmpty(value as object | string)),
  );
}

function isEmpty(value: object | string | number | boolean): boolean {
  return typeof value === "object" ? Object.keys(value).length === 0 : !value;
}
