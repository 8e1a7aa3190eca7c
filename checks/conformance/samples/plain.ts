/** A few simple records, for tests of the protocol. */
import type { Line } from "../model/records.ts";
import { bucketLine } from "./tenants.ts";

export const plainLines: readonly Line[] = [
  bucketLine("primary"),
  ...Array.from({ length: 60 }, (_, index) => ({
    upload: {
      uploadId: `upload ${index}`,
      path: index % 2 === 0 ? "/" : "/folder",
      filename: `file ${index}.txt`,
      sizeBytes: index,
      createdAt: `2026-01-01T00:00:${String(index).padStart(2, "0")}Z`,
      updatedAt: "2026-01-01T00:00:00Z",
    },
  })),
];
