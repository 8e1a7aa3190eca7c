import assert from "node:assert/strict";
import { it } from "node:test";
import { normaliseLoginName } from "./credentials.ts";
import { accountIdOf, subjectOf } from "./subjects.ts";

it("a login name is the same in any case and with any form of accents", () => {
  for (const text of ["Zoë@Example.com", " ZOË@example.com\n", "Zoe\u0308@EXAMPLE.COM"]) {
    assert.equal(normaliseLoginName(text), "zoë@example.com");
  }
  assert.equal(normaliseLoginName("😀".repeat(128)), "😀".repeat(128));
});

it("an invalid login name is refused", () => {
  for (const text of ["", "  ", "a b", "a\0b", "a\u0085b", "\ud800", "a".repeat(129)]) {
    assert.equal(normaliseLoginName(text), undefined, JSON.stringify(text));
  }
});

it("a subject names an account, and other texts are no subject", () => {
  const accountId = "3f0c8c1e-6d3b-4c8e-9d54-0a4b5f2f9a11";
  assert.equal(accountIdOf(subjectOf(accountId)), accountId);
  const others = ["", accountId, `urn:svc:serviceaccount:${accountId}`, "urn:svc:user:7"];
  for (const other of [...others, subjectOf(accountId.toUpperCase())]) {
    assert.equal(accountIdOf(other), undefined, other);
  }
});
