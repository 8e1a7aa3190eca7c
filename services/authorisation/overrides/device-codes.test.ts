import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { it } from "node:test";
import { handleOf, hashOfHandle } from "../model/device-code-handles.ts";
import { startBareProvider } from "../testing/bare-provider.ts";
import { restrictDeviceCodeHandles } from "./device-codes.ts";

const idHash = hash("sha256", "a device code", "buffer");

it("a handle contains the hash, and nothing else is a handle", () => {
  assert.deepEqual(hashOfHandle(handleOf(idHash)), idHash);
  for (const other of ["", "hash:", "hash:AAAA", handleOf(idHash).slice(5), "a device code"]) {
    assert.equal(hashOfHandle(other), undefined, other);
  }
});

it("a handle finds a device code for a browser that has come back, and for no other", async () => {
  const configuration = { features: { deviceFlow: { enabled: true } } };
  await using bare = await startBareProvider(configuration, restrictDeviceCodeHandles);
  const { DeviceCode } = bare.provider;
  const exp = Math.floor(Date.now() / 1000) + 60;
  bare.stored.set(`DeviceCode:${handleOf(idHash)}`, { kind: "DeviceCode", exp });
  const find = (options?: object) => DeviceCode.find(handleOf(idHash), options);
  assert.equal(await find(), undefined);
  assert.equal(await find({ ignoreExpiration: true }), undefined);
  assert.ok(await find({ ignoreExpiration: true, ignoreSessionBinding: true }));
});
