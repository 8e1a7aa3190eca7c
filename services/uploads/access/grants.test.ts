import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { grantedLocations } from "./grants.ts";

const bucketId = "6f1c2a4e-0000-4000-8000-000000000001";
const other = "6f1c2a4e-0000-4000-8000-000000000002";

interface Case {
  title: string;
  details: Record<string, unknown>[] | undefined;
  locations: string[];
}

const read = { type: "bucket", actions: ["read"] };
const cases: Case[] = [
  { title: "without details: the whole bucket", details: undefined, locations: ["/"] },
  { title: "with an empty list: the whole bucket", details: [], locations: ["/"] },
  {
    title: "with entries of other services only: the whole bucket",
    details: [{ type: "payment", actions: [] }],
    locations: ["/"],
  },
  { title: "for every bucket", details: [read], locations: ["/"] },
  { title: "for this bucket", details: [{ ...read, identifier: bucketId }], locations: ["/"] },
  {
    title: "for this bucket in upper case",
    details: [{ ...read, identifier: bucketId.toUpperCase() }],
    locations: ["/"],
  },
  {
    title: "for another bucket: nothing",
    details: [{ ...read, identifier: other }],
    locations: [],
  },
  {
    title: "for locations",
    details: [{ ...read, locations: ["/a", "/b/"] }],
    locations: ["/a", "/b"],
  },
  { title: "for no location: nothing", details: [{ ...read, locations: [] }], locations: [] },
  { title: "without actions: nothing", details: [{ type: "bucket" }], locations: [] },
  {
    title: "with other actions: nothing",
    details: [{ type: "bucket", actions: ["write"] }],
    locations: [],
  },
  {
    title: "with actions as text: nothing",
    details: [{ ...read, actions: "read" }],
    locations: [],
  },
  { title: "with null locations: nothing", details: [{ ...read, locations: null }], locations: [] },
  {
    title: "with one malformed location: nothing of the entry",
    details: [{ ...read, locations: ["/a", "/.."] }],
    locations: [],
  },
  {
    title: "with an empty text for a location: nothing",
    details: [{ ...read, locations: ["/a", ""] }],
    locations: [],
  },
  {
    title: "with a location that has no leading slash: nothing",
    details: [{ ...read, locations: ["a"] }],
    locations: [],
  },
  {
    title: "with an unknown member: nothing",
    details: [{ ...read, datatypes: ["x"] }],
    locations: [],
  },
  {
    title: "entries add up, and lend each other nothing",
    details: [
      { type: "bucket", identifier: bucketId, locations: ["/a"] },
      { type: "bucket", identifier: other, actions: ["read"], locations: ["/b"] },
      { ...read, locations: ["/c"] },
    ],
    locations: ["/c"],
  },
];

describe("grantedLocations()", () => {
  for (const { title, details, locations } of cases) {
    it(title, () => assert.deepEqual(grantedLocations(details, bucketId), locations));
  }
});
