/**
 * The contract splits `scope` on single spaces; the required scope must be an element. These tokens
 * are good; what they grant is not what the request needs, however near it looks.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claims, forge, validator } from "../../testing/tokens.ts";
import { requireScope } from "../scope.ts";
import { refusalMessages } from "../token-refused-error.ts";

const needed = "upl:bucket:read";

const granting = (scope: string) => validator.validate(forge({ payload: { ...claims, scope } }));

const near = [
  "upl:bucket:rea",
  "pl:bucket:read",
  "upl:bucket",
  "upl",
  "r",
  ":",
  "upl:bucket:",
  "bucket:read",
  "upl:bucket:reads",
  "upl:bucket:read:all",
  "xupl:bucket:read",
  "upl:bucket:read/b",
  "upl:bucket:write",
  "upl:bucket:*",
  "upl:*",
  "*",
  "*:*:*",
  ".*",
  "upl:bucket:r?ad",
  "^upl",
  "UPL:BUCKET:READ",
  "Upl:bucket:read",
  "upl:bucket:Read",
  "upl.bucket.read",
  "upl/bucket/read",
  "admin",
  "root",
  "all",
  "openid",
  "service_account",
  "offline_access",
  "true",
  "1",
  "undefined",
  "-upl:bucket:read",
  "!upl:bucket:read",
  "+upl:bucket:read",
  "~upl:bucket:read",
  // Separators that are none.
  "upl:bucket:read,other",
  "other,upl:bucket:read",
  "upl:bucket:read;other",
  "a|upl:bucket:read",
  "upl:bucket:read\tother",
  "other\tupl:bucket:read",
  "upl:bucket:read\t",
  "\tupl:bucket:read",
  "upl:bucket:read\n",
  "other\nupl:bucket:read",
  "upl:bucket:read\r\na",
  "upl:bucket:read\0",
  "upl:bucket:read\v",
  "upl:bucket:read\f",
  "a\u00a0upl:bucket:read",
  "a\u2003upl:bucket:read",
  "upl:bucket:read\u3000",
  "upl:bucket:read\u0085",
  "a\u2028upl:bucket:read",
  "other+upl:bucket:read",
  "other%20upl:bucket:read",
  "upl:bucket:read%20",
  // Pieces that would have to be put together.
  "upl:bucket :read",
  "upl: bucket: read",
  "upl:bucket:re ad",
  "upl bucket read",
  // Quoted, or structured.
  '"upl:bucket:read"',
  "'upl:bucket:read'",
  '["upl:bucket:read"]',
  "{upl:bucket:read}",
  "scope=upl:bucket:read",
  "upl:bucket:read=false",
  "(upl:bucket:read)",
  "[upl:bucket:read]",
  // Letters that look like ours, or vanish.
  "upl:bucket:re\u0430d",
  "\uff55pl:bucket:read",
  "upl\uff1abucket\uff1aread",
  "upl:bu\u0441ket:read",
  "upl:bucket:read\ufeff",
  "upl:bucket:read\u200b",
  "upl:bucket\u00ad:read",
  "upl:bucket:read\u0301",
  "\u202eupl:bucket:read",
  "__proto__",
  "constructor",
  "toString",
  "has",
  "size",
  "hasOwnProperty",
  "[object Set]",
  " ",
  "  ",
  "          ",
];

describe("a required scope", () => {
  for (const scope of near) {
    it(`is not in ${JSON.stringify(scope)}`, async () => {
      const token = await granting(scope);
      assert.throws(() => requireScope(token, needed), {
        name: "TokenRefusedError",
        reason: "SCOPE_MISSING",
        status: 403,
        message: refusalMessages.SCOPE_MISSING,
      });
    });
  }

  const containing = [
    "upl:bucket:read",
    "other upl:bucket:read",
    "upl:bucket:read other",
    "other  upl:bucket:read",
    " upl:bucket:read ",
    "upl:bucket:read upl:bucket:read",
    "upl:bucket:write\t upl:bucket:read",
  ];
  for (const scope of containing) {
    it(`is in ${JSON.stringify(scope)}`, async () => requireScope(await granting(scope), needed));
  }

  const inherited = [
    "constructor",
    "__proto__",
    "toString",
    "has",
    "size",
    "add",
    "prototype",
    "0",
  ];
  for (const scope of inherited) {
    it(`that is a property of every object is not granted: ${scope}`, async () => {
      const token = await granting(needed);
      assert.throws(() => requireScope(token, scope), { reason: "SCOPE_MISSING" });
      requireScope(await granting(scope), scope);
    });
  }
});

describe("an invalid required scope", () => {
  const unsound: [string, unknown][] = [
    ["nothing", undefined],
    ["null", null],
    ["the empty text", ""],
    ["a space", " "],
    ["two scopes", "upl:bucket:read other"],
    ["a scope and a space", "upl:bucket:read "],
    ["a space and a scope", " upl:bucket:read"],
    ["a tab", "upl:bucket:read\t"],
    ["a line feed", "upl:bucket:read\n"],
    ["a NUL", "\0"],
    ["a quotation mark", '"upl:bucket:read"'],
    ["a backslash", "upl\\bucket"],
    ["a letter outside ASCII", "t\u00e9l\u00e9charger"],
    ["a no-break space", "a\u00a0b"],
    ["a boolean", true],
    ["a number", 0],
    ["an empty list", []],
    ["a list of the scope", [needed]],
    ["an object", { toString: () => needed }],
    ["a String object", new String(needed)],
    ["a symbol", Symbol(needed)],
    ["a bigint", 1n],
    ["a function", () => needed],
  ];
  for (const [description, scope] of unsound) {
    it(`throws a TypeError, whatever the token grants: ${description}`, async () => {
      const token = await granting(`${needed}  other  "a"`);
      assert.throws(() => requireScope(token, scope as string), TypeError);
    });
  }
});

describe("the kind of subject", () => {
  const people = [
    "service_accounts",
    "Service_account",
    "service-account",
    "xservice_account",
    "service",
    "service_account,read",
    "service_account\t",
    "service_account\u200b",
    "service account",
    "SERVICE_ACCOUNT",
    "service\uff3faccount",
  ];
  for (const scope of people) {
    it(`is not a service account's by the scope ${JSON.stringify(scope)}`, async () => {
      const sub = "urn:svc:serviceaccount:1";
      const payload = { ...claims, sub, scope, gty: "client-credentials", kind: "service_account" };
      assert.equal((await validator.validate(forge({ payload }))).subjectKind, "user");
    });
  }
});
