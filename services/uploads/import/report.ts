/** Texts that an import prints: errors, and a summary. */
import { errorText, printable } from "@stowage/process";
import { formatCount, formatThings } from "../model/format.ts";
import type { MergeCounts } from "./merge/statements.ts";
import type { ImportResult } from "./run-import.ts";

const shownErrorsMax = 20;

/** Counts errors and keeps the text of the first few: every line of a large file may be wrong. */
export class ErrorReport {
  readonly #shown: string[] = [];
  #count = 0;

  /** @param text the place and the reason: `line 3: …`. */
  add(text: string): void {
    this.#count += 1;
    if (this.#shown.length < shownErrorsMax) this.#shown.push(printable(text));
  }

  get count(): number {
    return this.#count;
  }

  /** One line for each error, and one with the number of those left out. Empty without errors. */
  text(): string {
    const more = this.#count - this.#shown.length;
    const lines = more > 0 ? [...this.#shown, `and ${formatCount(more)} more`] : this.#shown;
    return lines.map((line) => `${line}\n`).join("");
  }
}

/**
 * What an import did, in one line: `imported 12,345 uploads and 678 folders into
 * photos.example.com: 12,000 new, 5 changed, 1,018 unchanged`.
 *
 * @param remarks added at the end: `3 wrong lines skipped`.
 */
export function summaryOf(result: ImportResult, remarks: readonly string[]): string {
  const { uploads, folders, integrations, deleted } = result;
  const things = [formatThings(total(uploads), "upload"), formatThings(total(folders), "folder")];
  if (total(integrations) > 0) things.push(formatThings(total(integrations), "integration"));
  const outcomes = (["new", "changed", "unchanged"] as const).map((outcome) => {
    const count = uploads[outcome] + folders[outcome] + integrations[outcome];
    return `${formatCount(count)} ${outcome}`;
  });
  const deletedCount = deleted.uploads + deleted.folders + deleted.integrations;
  if (deletedCount > 0) outcomes.push(`${formatCount(deletedCount)} deleted`);
  const listed = new Intl.ListFormat("en-GB").format(things);
  const sentence = `imported ${listed}${target(result)}: ${outcomes.join(", ")}`;
  return [sentence, ...remarks, ...skipIndexRemark(result)].join("; ");
}

function total(counts: MergeCounts): number {
  return counts.new + counts.changed + counts.unchanged;
}

function target({ bucketIds, hostnames, buckets }: ImportResult): string {
  const { length: bucketCount } = bucketIds;
  if (bucketCount === 0) return "";
  const outcomes = [];
  if (buckets.new > 0) outcomes.push(`${formatCount(buckets.new)} new`);
  if (buckets.changed > 0) outcomes.push(`${formatCount(buckets.changed)} changed`);
  const name = bucketCount === 1 ? hostnames.join("") : formatThings(bucketCount, "bucket");
  return outcomes.length === 0
    ? ` into ${name}`
    : ` into ${name} (buckets: ${outcomes.join(", ")})`;
}

function skipIndexRemark({ skipIndexError }: ImportResult): string[] {
  return skipIndexError === undefined ? [] : [skipIndexText("import", errorText(skipIndexError))];
}

/** What a missing skip index means for callers. */
export function skipIndexText(rebuiltBy: "import" | "run", reason: string): string {
  return (
    `searches may be slow until the next ${rebuiltBy}, because the skip index was not rebuilt: ` +
    reason
  );
}
