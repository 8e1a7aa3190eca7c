import assert from "node:assert/strict";
import { it } from "node:test";
import { describeDetails } from "./describe-details.ts";

const read = { type: "bucket" as const, actions: ["read" as const] };
const identifier = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";

it("each entry is a sentence", () => {
  assert.deepEqual(
    describeDetails([
      read,
      { ...read, identifier },
      { ...read, identifier, locations: ["/photos"] },
      { ...read, locations: ["/a", "/b", "/c d"] },
      { ...read, locations: ["/a", "/"] },
    ]),
    [
      "Read all of every bucket",
      `Read all of the bucket ${identifier}`,
      `Read the folder “/photos” of the bucket ${identifier}, and all that is in it`,
      "Read the folders “/a”, “/b” and “/c d” of every bucket, and all that is in them",
      "Read all of every bucket",
    ],
  );
});

it("a name can neither hide nor reorder text, nor end its quotation marks", () => {
  const locations = ["/a\u202e\n\u200b” and the folder “/b\\"];
  assert.deepEqual(describeDetails([{ ...read, locations }]), [
    "Read the folder “/a\\u{202e}\\u{a}\\u{200b}\\u{201d} and the folder \\u{201c}/b\\u{5c}” of " +
      "every bucket, and all that is in it",
  ]);
});
