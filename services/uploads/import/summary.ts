import { errorText } from "@stowage/process";
import { formatCount, formatList, formatThings } from "./format.ts";
import type { ImportResult } from "./merge-staged.ts";

/**
 * What an import did, in one line: `imported 12,345 uploads and 678 folders into
 * photos.example.com: 12,000 new, 5 changed, 1,018 unchanged`.
 *
 * @param remarks what else there is to say, such as `3 wrong lines skipped`.
 */
export function summaryOf(result: ImportResult, remarks: readonly string[]): string {
  const kinds = [
    { counts: result.uploads, thing: "upload", isAlwaysSaid: true },
    { counts: result.folders, thing: "folder", isAlwaysSaid: true },
    { counts: result.integrations, thing: "integration", isAlwaysSaid: false },
  ].map((kind) => ({
    ...kind,
    all: kind.counts.new + kind.counts.changed + kind.counts.unchanged,
  }));
  const things = kinds
    .filter(({ all, isAlwaysSaid }) => all > 0 || isAlwaysSaid)
    .map(({ all, thing }) => formatThings(all, thing));
  const outcomes = (["new", "changed", "unchanged"] as const).map((outcome) => {
    const count = kinds.reduce((sum, { counts }) => sum + counts[outcome], 0);
    return `${formatCount(count)} ${outcome}`;
  });
  const sentence = `imported ${formatList(things)}${target(result)}: ${outcomes.join(", ")}`;
  return [sentence, ...remarks, ...zonesRemark(result)].join("; ");
}

function target({ bucketCount, hostnames, buckets }: ImportResult): string {
  if (bucketCount === 0) return "";
  const outcomes = [];
  if (buckets.new > 0) outcomes.push(`${formatCount(buckets.new)} new`);
  if (buckets.changed > 0) outcomes.push(`${formatCount(buckets.changed)} changed`);
  const name = bucketCount === 1 ? hostnames.join("") : formatThings(bucketCount, "bucket");
  return outcomes.length === 0
    ? ` into ${name}`
    : ` into ${name} (buckets: ${outcomes.join(", ")})`;
}

function zonesRemark({ zonesError }: ImportResult): string[] {
  if (zonesError === undefined) return [];
  const reason = errorText(zonesError);
  return [`searches may be slow until the next import, since zones were not renewed: ${reason}`];
}
