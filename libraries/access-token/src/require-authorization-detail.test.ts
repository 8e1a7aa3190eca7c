import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { signToken, validator } from "../testing/tokens.ts";
import {
  type AuthorizationDetailRequirement,
  requireAuthorizationDetail,
} from "./require-authorization-detail.ts";
import { refusalMessages, TokenRefusedError } from "./token-refused-error.ts";

type Requirement = AuthorizationDetailRequirement;

async function tokenWith(details: unknown) {
  return validator.validate(await signToken({ authorization_details: details }));
}

const bucket = {
  type: "bucket",
  identifier: "b-1",
  actions: ["read", "list"],
  locations: ["/photos"],
  datatypes: ["image"],
  privileges: ["owner"],
  quota: { sizeBytes: 5 },
};

const { quota: _, ...common } = bucket;

const satisfied: Requirement[] = [
  { type: "bucket" },
  { type: "bucket", identifier: "b-1" },
  { type: "bucket", actions: ["read"] },
  { type: "bucket", actions: ["list", "read"] },
  { type: "bucket", locations: ["/photos"], datatypes: ["image"], privileges: ["owner"] },
  { ...common, accepts: () => true },
  { type: "bucket", accepts: ({ quota }) => (quota as { sizeBytes: number }).sizeBytes > 4 },
];

const unsatisfied: Requirement[] = [
  { type: "Bucket" },
  { type: "bucke" },
  { type: "bucket", identifier: "b-2" },
  { type: "bucket", identifier: "B-1" },
  { type: "bucket", identifier: "" },
  { type: "bucket", actions: ["rea"] },
  { type: "bucket", actions: ["read", "write"] },
  { type: "bucket", locations: ["/photos/2026"] },
  { type: "bucket", locations: ["/"] },
  { type: "bucket", actions: ["read"], locations: ["/other"] },
  { type: "bucket", datatypes: ["video"] },
  { type: "bucket", privileges: ["admin"] },
  { type: "bucket", accepts: () => false },
];

const notRequirements: unknown[] = [
  undefined,
  null,
  "bucket",
  {},
  { type: "" },
  { type: 7 },
  { type: "bucket", action: ["write"] },
  { type: "bucket", toString: "x" },
  { type: "bucket", identifier: undefined },
  { type: "bucket", identifier: 7 },
  { type: "bucket", actions: undefined },
  { type: "bucket", actions: [] },
  { type: "bucket", actions: "read" },
  { type: "bucket", actions: [undefined] },
  { type: "bucket", actions: new Array(1) },
  { type: "bucket", locations: [] },
  { type: "bucket", accepts: true },
  { type: "bucket", accepts: async () => false },
  { type: "bucket", accepts: () => 1 },
  { type: "bucket", accepts: () => undefined },
];

/** Values of a wrong type in place of the required list or text. */
const wrongTypes: unknown[] = [
  { type: "bucket", actions: "read" },
  { type: "bucket", actions: { 0: "read", length: 1, includes: true } },
  { type: "bucket", actions: [["read"]] },
  { type: "bucket", actions: [null] },
  { type: "bucket", actions: null },
  { type: "bucket", actions: {} },
];

describe("requireAuthorizationDetail", async () => {
  const token = await tokenWith([{ type: "account" }, bucket]);

  for (const requirement of satisfied) {
    it(`finds the entry for ${JSON.stringify(requirement)}`, () => {
      const found = requireAuthorizationDetail(token, requirement);
      assert.deepEqual(found, bucket);
      assert(Object.isFrozen(found));
    });
  }

  for (const requirement of unsatisfied) {
    it(`refuses a token that has no entry for ${JSON.stringify(requirement)}`, () => {
      assert.throws(
        () => requireAuthorizationDetail(token, requirement),
        (error) => {
          assert(error instanceof TokenRefusedError);
          assert.equal(error.reason, "AUTHORIZATION_DETAIL_MISSING");
          assert.equal(error.status, 403);
          assert.equal(error.message, refusalMessages.AUTHORIZATION_DETAIL_MISSING);
          return true;
        },
      );
    });
  }

  for (const requirement of notRequirements) {
    it(`throws a TypeError when asked for ${JSON.stringify(requirement)}`, () => {
      assert.throws(
        () => requireAuthorizationDetail(token, requirement as Requirement),
        (error) =>
          error instanceof TypeError &&
          error.message.startsWith("Cannot require an authorization detail: "),
      );
    });
  }

  for (const entry of wrongTypes) {
    it(`is not satisfied by ${JSON.stringify(entry)}`, async () => {
      const other = await tokenWith([entry]);
      assert.throws(
        () => requireAuthorizationDetail(other, { type: "bucket", actions: ["read"] }),
        { reason: "AUTHORIZATION_DETAIL_MISSING" },
      );
    });
  }

  it("refuses a token without the claim, and one with an empty list", async () => {
    for (const other of [await tokenWith(undefined), await tokenWith([])]) {
      assert.throws(() => requireAuthorizationDetail(other, { type: "bucket" }), {
        reason: "AUTHORIZATION_DETAIL_MISSING",
      });
    }
  });

  it("gives the first of several entries", async () => {
    const other = await tokenWith([{ ...bucket, identifier: "b-0" }, bucket]);
    const found = requireAuthorizationDetail(other, { type: "bucket", actions: ["read"] });
    assert.equal(found.identifier, "b-0");
  });

  it("lets an error of accepts through as it is", () => {
    const fault = new Error("a fault of the caller");
    const accepts = () => {
      throw fault;
    };
    assert.throws(() => requireAuthorizationDetail(token, { type: "bucket", accepts }), fault);
  });

  it("never adds up what several entries grant", async () => {
    const names = ["identifier", "actions", "locations", "datatypes", "privileges"] as const;
    const entriesShort = fc.array(fc.constantFrom(...names).chain(lacking), { maxLength: 8 });
    const lacked = fc.asyncProperty(entriesShort, async (entries) => {
      const other = await tokenWith(entries);
      assert.throws(() => requireAuthorizationDetail(other, common), {
        reason: "AUTHORIZATION_DETAIL_MISSING",
      });
      const whole = await tokenWith([...entries, bucket]);
      assert.deepEqual(requireAuthorizationDetail(whole, common), bucket);
    });
    await fc.assert(lacked, { numRuns: 50 });

    function lacking(name: (typeof names)[number]) {
      const { [name]: whole, ...rest } = bucket;
      const lesser = name === "actions" ? ["read"] : [];
      return fc.constantFrom<object>(rest, { ...rest, [name]: lesser }, { ...rest, [name]: null });
    }
  });
});
