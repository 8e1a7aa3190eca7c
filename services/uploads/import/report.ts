/** Texts that an import prints: errors, and a summary. */
import { errorText, printable } from "@stowage/process";
import { formatCount, formatThings } from "../model/format.ts";
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
  const kinds = [
    { counts: result.uploads, thing: "upload", isAlwaysNamed: true },
    { counts: result.folders, thing: "folder", isAlwaysNamed: true },
    { counts: result.integrations, thing: "integration", isAlwaysNamed: false },
  ].map((kind) => ({
    ...kind,
    all: kind.counts.new + kind.counts.changed + kind.counts.unchanged,
  }));
  const things = kinds
    .filter(({ all, isAlwaysNamed }) => all > 0 || isAlwaysNamed)
    .map(({ all, thing }) => formatThings(all, thing));
  const outcomes = (["new", "changed", "unchanged"] as const).map((outcome) => {
    const count = kinds.reduce((sum, { counts }) => sum + counts[outcome], 0);
    return `${formatCount(count)} ${outcome}`;
  });
  const { uploads, folders, integrations } = result.deleted;
  if (uploads + folders + integrations > 0) {
    outcomes.push(`${formatCount(uploads + folders + integrations)} deleted`);
  }
  const sentence = `imported ${listText(things)}${target(result)}: ${outcomes.join(", ")}`;
  return [sentence, ...remarks, ...skipIndexRemark(result)].join("; ");
}

/** `a, b and c` */
function listText(parts: readonly string[]): string {
  const last = parts.slice(-1);
  const others = parts.slice(0, -1).join(", ");
  return (others === "" ? last : [others, ...last]).join(" and ");
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
