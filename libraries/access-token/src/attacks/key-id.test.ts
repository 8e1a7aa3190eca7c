import { describe } from "node:test";
import { type Attack, itRefuses, withParameter } from "../../testing/attacks.ts";
import { makeSigningKey } from "../../testing/signing-key.ts";
import { forge, header } from "../../testing/tokens.ts";

const attacker = makeSigningKey("attacker");

/** Valid key IDs that the issuer does not have. The attacker signs the tokens. */
function naming(keyIds: readonly string[]): Attack[] {
  return keyIds.map((kid): Attack => {
    const make = () => forge({ key: attacker, header: { ...header, kid } });
    return [`with kid ${JSON.stringify(kid)}`, "KEY_UNKNOWN", make];
  });
}

describe("what is no key ID at all", () => {
  itRefuses([
    ...withParameter("TOKEN_MALFORMED", "kid", [
      undefined,
      null,
      "",
      0,
      1,
      -0,
      true,
      false,
      [],
      {},
      [[]],
      ["key-1"],
      { 0: "key-1" },
      { $ne: "" },
      { $gt: "" },
      { toString: "key-1" },
      { kid: "key-1" },
      // 257 bytes, and two, three and four bytes a character.
      "k".repeat(257),
      "\u00e9".repeat(129),
      "\u20ac".repeat(86),
      "\u{1f511}".repeat(65),
      "k".repeat(5000),
    ]),
    ...["\\ud800", "\\udc00", "key-1\\ud83d", "\\udc00\\ud800"].map((text): Attack => {
      const make = () => forge({ header: `{"alg":"RS256","kid":"${text}","typ":"JWT"}` });
      return [`with kid the lone surrogate ${text}`, "TOKEN_MALFORMED", make];
    }),
    ...["KID", "Kid", "kid ", "key_id", "x5t", "\u043aid"].map((name): Attack => {
      const make = () => forge({ header: { ...header, kid: undefined, [name]: "key-1" } });
      return [`with kid misspelt ${JSON.stringify(name)}`, "TOKEN_MALFORMED", make];
    }),
    [
      "with kid only inside __proto__",
      "TOKEN_MALFORMED",
      () => forge({ header: '{"__proto__":{"kid":"key-1"},"alg":"RS256","typ":"JWT"}' }),
    ],
    [
      "with kid only in the payload",
      "TOKEN_MALFORMED",
      () => forge({ header: { ...header, kid: undefined }, payload: { kid: "key-1" } }),
    ],
  ]);
});

describe("a key ID near to ours", () => {
  itRefuses(
    naming([
      "KEY-1",
      "Key-1",
      "key-",
      "key-11",
      "ey-1",
      "key-01",
      "key_1",
      "key1",
      "key-1.0",
      "key-1 ",
      " key-1",
      "key-1\0",
      "key-1\n",
      "key-1\r\n",
      "\tkey-1",
      "key-1\u00a0",
      "key-1,key-2",
      "key-1;",
      "key-1|attacker",
      "attacker,key-1",
      "key-1\0attacker",
      // Characters that look like ours, or like nothing.
      "k\u0435y-1",
      "\uff4bey-1",
      "key\u20101",
      "key-\u0661",
      "key-1\u200b",
      "\ufeffkey-1",
      "key-1\u0301",
      "\u202ekey-1",
      "\u212aey-1",
      "key-1\ufe0f",
    ]),
  );
});

describe("a key ID that looks like code", () => {
  itRefuses(
    naming([
      // Files with contents that everyone knows.
      "/dev/null",
      "../../../../../../dev/null",
      "..\\..\\..\\windows\\win.ini",
      "./key-1",
      ...["file:///dev/null", "/proc/sys/kernel/randomize_va_space", "/etc/hostname", "key-1/../x"],
      // SQL, document stores, directories.
      "x' union select 'secret' --",
      "' or '1'='1",
      "key-1'--",
      "%",
      "_",
      "key-1' or 1=1;",
      '{"$ne":null}',
      "*",
      "key*",
      "*)(kid=*",
      ".*",
      "^key-1$",
      "/key-1/",
      "key-[0-9]",
      // Shells and templates.
      "key-1;sleep 9",
      "key-1|id",
      "$(id)",
      "`id`",
      "{{7*7}}",
      "#{7*7}",
      "<%=1%>",
      "%6b%65%79%2d%31",
      "key&#45;1",
      "\\u006bey-1",
      "key-1\r\nINFO: token accepted",
      // Addresses.
      ...["https://attacker.example/key", "http://169.254.169.254/latest/", "//attacker.example"],
      ...["jar:http://attacker.example!/", "ldap://attacker.example/x", "data:,key"],
    ]),
  );
});

describe("a key ID that is a property of every object", () => {
  itRefuses(
    naming([
      "__proto__",
      "constructor",
      "prototype",
      "toString",
      "valueOf",
      "hasOwnProperty",
      "__defineGetter__",
      "__lookupGetter__",
      "length",
      "size",
      "keys",
      "get",
      "has",
      "find",
      "0",
      "1",
      "-1",
      "undefined",
      "null",
      "NaN",
      "true",
      "false",
      "[object Object]",
      "then",
    ]),
  );
});

describe("a key ID of the greatest size", () => {
  itRefuses(naming(["k".repeat(256), "\u00e9".repeat(128), "\u{1f511}".repeat(64)]));
});
