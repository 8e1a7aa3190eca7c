/** The records of the runs with faults. One bucket is in one of two states. */
import { type Bucket, type Line, readRecords } from "../conformance/model/records.ts";
import { randomBucket } from "../conformance/samples/random-bucket.ts";
import { bucketLine, integrationLines } from "../conformance/samples/tenants.ts";

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

interface DataOptions {
  readonly seed: number;
  /** With a bucket of another organisation for `largeTreeRequest`. */
  readonly hasLargeTree: boolean;
}

export function makeData({ seed, hasLargeTree }: DataOptions): Data {
  const unchanged = [
    bucketLine("primary"),
    ...integrationLines,
    ...randomBucket({ seed, folders: 80, uploads: 700 }),
    ...(hasLargeTree ? [bucketLine("foreign"), ...largeTree] : []),
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

const largeTreeUploads = 16_000;

/** Its JSON is larger than the buffers between the service and a caller who does not read. */
const largeTree: readonly Line[] = Array.from({ length: largeTreeUploads }, (_, index) => ({
  upload: {
    uploadId: `large ${index}`,
    path: `/folder ${index % 100}`,
    filename: `file ${index}.txt`,
    sizeBytes: index,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
    generatedDescription: "A description of some length. ".repeat(12),
  },
}));
