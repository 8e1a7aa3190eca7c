/** The records of the runs with faults. One bucket is in one of two states. */
import { type Bucket, type Line, readRecords } from "../../conformance/model/records.ts";
import { randomBucket } from "../../conformance/samples/random-bucket.ts";
import { bucketLine, integrationLines } from "../../conformance/samples/tenants.ts";

/** Imports change the second bucket from one to the other and back. */
export type State = "one" | "other";

export interface Data {
  /** Everything, in the first state. */
  readonly lines: readonly Line[];
  /** The lines that change the second bucket to a state. */
  readonly importOf: Readonly<Record<State, readonly Line[]>>;
  /** What the model reads its answers from. */
  readonly buckets: Readonly<Record<State, readonly Bucket[]>>;
}

export function makeData(seed: number): Data {
  const unchanged = [
    bucketLine("primary"),
    ...integrationLines,
    ...randomBucket({ seed, folders: 80, uploads: 700 }),
    bucketLine("foreign"),
    ...largeTree,
  ];
  const second = randomBucket({ seed: seed + 1, folders: 20, uploads: 200 });
  const importOf = {
    one: [bucketLine("second"), ...second],
    other: [bucketLine("second"), ...second.map(changed)],
  };
  const bucketsOf = (state: State) => readRecords([...unchanged, ...importOf[state]]);
  return {
    lines: [...unchanged, ...importOf.one],
    importOf,
    buckets: { one: bucketsOf("one"), other: bucketsOf("other") },
  };
}

function changed(line: Line): Line {
  if (!("upload" in line)) return line;
  const { upload } = line;
  return { upload: { ...upload, sizeBytes: (upload.sizeBytes ?? 0) + 1, tags: ["changed"] } };
}

const description = "A description of some length. ".repeat(12);

function manyUploads(count: number): readonly Line[] {
  return Array.from({ length: count }, (_, index) => ({
    upload: {
      uploadId: `large ${index}`,
      path: `/folder ${index % 100}`,
      filename: `file ${index}.txt`,
      sizeBytes: index,
      createdAt: "2026-01-01T00:00:00Z",
      updatedAt: "2026-01-01T00:00:00Z",
      generatedDescription: description,
    },
  }));
}

/**
 * A bucket of another organisation. The JSON of its tree is larger than the buffers between the
 * service and a caller who does not read.
 */
const largeTree = manyUploads(16_000);

/** An import of a third organisation, which always changes everything. */
export function largeImport(): readonly Line[] {
  const tags = [`import ${Date.now()}`];
  const bucketId = "0b5c1d9e-3a58-4a5e-9c0e-1f1f4a6f0004";
  const hostname = "importing.example.com";
  const bucket = { bucketId, hostname, organisationId: "organisation-importing", primary: true };
  const uploads = manyUploads(20_000).map((line) =>
    "upload" in line ? { upload: { ...line.upload, tags } } : line,
  );
  return [{ bucket }, ...uploads];
}
