import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defaultAddress } from "../address/address.ts";
import { titleOf } from "./page-title.ts";

describe("the title of the page", () => {
  it("begins with the folder, or the bucket at its root", () => {
    const address = { ...defaultAddress, folder: "/photos/2026" };
    assert.equal(titleOf(address, "a.example.com"), "2026 · a.example.com · Stowage");
    assert.equal(titleOf(defaultAddress, "a.example.com"), "a.example.com · Stowage");
    assert.equal(titleOf(defaultAddress, ""), "Stowage");
  });

  it("says what is searched for", () => {
    const address = { ...defaultAddress, folder: "/photos", query: "sea" };
    assert.equal(titleOf(address, "a.example.com"), "“sea” in photos · a.example.com · Stowage");
  });

  it("shows characters that would turn it around by their numbers", () => {
    const address = { ...defaultAddress, folder: "/\u202egnp" };
    assert.equal(titleOf(address, "a"), "\\u{202e}gnp · a · Stowage");
  });
});
