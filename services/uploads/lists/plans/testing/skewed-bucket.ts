/** For tests of what lists read: a bucket where some folders, names, tags and times are common. */
import { create } from "@bufbuild/protobuf";
import { UploadSchema } from "@stowage/api/svc/api/v1/upload_pb";
import type pg from "pg";
import { writeBucket } from "./write-bucket.ts";

export const skewedBucket = {
  bucketId: "0b5c1d9e-3a58-4a5e-9c0e-0000000000bb",
  bucketNumber: 7,
};

/** Writes the bucket, the same every time; needs empty tables. */
export async function fillSkewedBucket(client: pg.ClientBase, uploadCount: number): Promise<void> {
  // Vacuum leaves out what is not on disk yet.
  await client.query("set synchronous_commit = on");
  const uploads = Array.from({ length: uploadCount }, (_, line) => skewedUpload(line));
  await writeBucket(client, skewedBucket, uploads);
  await client.query("vacuum analyze uploads.uploads, uploads.folders");
}

const words = [
  "scan",
  "report",
  "photo",
  "invoice",
  "draft",
  "letter",
  "minutes",
  "backup",
  "plan",
];
const extensions = [".jpg", ".pdf", ".txt", ".docx", ".tar.gz"];

function skewedUpload(line: number) {
  let salt = 0;
  const fraction = () => fractionOf(line, salt++);
  const pick = <Value>(values: readonly Value[]) =>
    values[Math.floor(fraction() ** 2 * values.length)] as Value;

  const project = `/projects/${Math.floor(fraction() ** 2 * 200)}/${pick(["a", "b", "c"])}`;
  const path = pick(["/inbox", "/inbox", project, project, `/misc/${line % 5000}`]);
  const rare = `${fraction() < 0.0005 ? "quokka" : ""}${fraction() < 0.003 ? "zq" : ""}`;
  const number = Math.floor(fraction() * 10_000);
  // Batches of uploads come at one time.
  const seconds = BigInt(Math.floor(fractionOf(Math.floor(line / 7), 99) * 100_000));
  const filename = `${pick(words)}-${rare}${number}${pick(extensions)}`;
  return create(UploadSchema, {
    uploadId: `${fractionOf(line, 100)}`,
    path,
    filename,
    slug: line % 2 === 0 ? filename : `${filename}-${line}`,
    tags: [...(fraction() < 0.3 ? ["common"] : []), ...(fraction() < 0.001 ? ["rare"] : [])],
    sizeBytes: BigInt(Math.floor(1e7 * fraction() ** 6)),
    order: fraction() < 0.9 ? 0 : Math.floor(fraction() * 10),
    createdAt: { seconds },
    updatedAt: {
      seconds: seconds + BigInt(fraction() < 0.8 ? 0 : Math.floor(fraction() * 50_000)),
    },
  });
}

/** From 0 up to 1, and the same for the same numbers: multiplied and folded beyond recognition. */
function fractionOf(line: number, salt: number): number {
  let bits = Math.imul(line + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca77);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}
