/** What is loaded before anything is measured: made from a seed, or from a list of paths. */
import { createHash } from "node:crypto";

export interface DataSet {
  /** What it is called on disk. */
  readonly name: string;
  /** What it is, for people. */
  readonly description: string;
  /** Lines for the importer that belong after those of the bucket; always the same ones. */
  lines(): AsyncIterable<string> | Iterable<string>;
}

/** The integrations of the bucket; a few folders are kept by one. */
export const integrationIds: readonly string[] = [
  "5f0c7a52-1c7e-4e0b-9a53-0d6f5b7f1c01",
  "5f0c7a52-1c7e-4e0b-9a53-0d6f5b7f1c02",
];

/** An organisation with one bucket. */
export interface Tenant {
  readonly organisationId: string;
  readonly bucketId: string;
  readonly hostname: string;
}

export const bucketId = "0b4c3a52-7d1e-4f60-8a21-9c3e5d7f1a00";
export const organisationId = "organisation-of-the-benchmark";

/** The lines that come before those of a data set: the bucket's own. */
export function bucketLinesOf({ bucketId, hostname, organisationId }: Tenant): readonly string[] {
  return [
    { bucket: { bucketId, hostname, organisationId, primary: true } },
    ...integrationIds.map((integrationId, index) => ({
      integration: {
        integrationId,
        name: `Integration ${index + 1}`,
        oauthClientId: `client-of-integration-${index + 1}`,
        folderBehavior: "INTEGRATION_FOLDER_BEHAVIOR_OPEN_LINK",
        folderLinkUrl: "https://integration.example.com",
      },
    })),
  ].map((line) => JSON.stringify(line));
}

export const bucketLines = bucketLinesOf({
  organisationId,
  bucketId,
  hostname: "benchmark.example.com",
});

const linesOfDigest = 5000;

/** Differs for data sets whose first lines differ: tells what was loaded by other code. */
export async function digestOf(dataSet: DataSet): Promise<string> {
  const hash = createHash("sha256").update(dataSet.description);
  for (const line of bucketLines) hash.update(line);
  let count = 0;
  for await (const line of dataSet.lines()) {
    hash.update(line);
    count += 1;
    if (count === linesOfDigest) break;
  }
  return hash.digest("hex");
}
