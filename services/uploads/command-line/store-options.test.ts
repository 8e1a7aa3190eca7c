import assert from "node:assert/strict";
import { it } from "node:test";
import { Command } from "commander";
import { addStoreContentOptions, addStoreOptions, type StoreOptions } from "./store-options.ts";

function parse(...parameters: string[]): StoreOptions {
  const command = addStoreContentOptions(addStoreOptions(new Command("s3")))
    .exitOverride()
    .configureOutput({ writeErr: () => undefined });
  return command.parse(parameters, { from: "user" }).opts();
}

it("a store is named by an http or https address", () => {
  for (const endpoint of ["https://store.example.com", "http://127.0.0.1:9000/"]) {
    assert.deepEqual(parse("--endpoint", endpoint), { endpoint });
  }
});

for (const endpoint of [
  "store.example.com",
  "s3://store.example.com",
  "https://user:secret@store.example.com",
  "https://user@store.example.com",
]) {
  it(`a store is not named by ${endpoint}`, () => {
    assert.throws(
      () => parse("--endpoint", endpoint),
      /Need an http or https address without a user name and password\./,
    );
  });
}

it("content is streamed, or read at an address for callers, but not both", () => {
  const publicEndpoint = "https://files.example.com";
  assert.deepEqual(parse("--content", "stream"), { content: "stream" });
  assert.deepEqual(parse("--public-endpoint", publicEndpoint), { publicEndpoint });
  assert.throws(
    () => parse("--public-endpoint", publicEndpoint, "--content", "stream"),
    /cannot be used with option '--content/,
  );
  assert.throws(() => parse("--content", "copy"), /Allowed choices are link, stream/);
});
