import assert from "node:assert/strict";
import { it } from "node:test";
import { addressLimitKey, inNetworks, parseNetwork, plainAddress } from "./networks.ts";

it("reads addresses and networks, and nothing else", () => {
  for (const text of ["::1", "10.0.0.0/8", "fd00::/8", "1.2.3.4/32"]) assert.ok(parseNetwork(text));
  for (const text of ["", "host", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "10/8", "::/129"]) {
    assert.equal(parseNetwork(text), undefined, text);
  }
});

it("finds addresses in networks", () => {
  const isLocal = inNetworks(["::1", "10.0.0.0/8"]);
  for (const address of ["::1", "10.1.2.3"]) assert.ok(isLocal(address), address);
  for (const address of ["::2", "11.0.0.1", "", "localhost"]) assert.ok(!isLocal(address), address);
  assert.throws(() => inNetworks(["10/8"]), /Cannot use the network 10\/8/);
});

it("reads the addresses of sockets", () => {
  assert.equal(plainAddress("::ffff:203.0.113.9"), "203.0.113.9");
  assert.equal(plainAddress("fe80::1%eth0"), "fe80::1");
});

const limitKeys: [address: string, key: string][] = [
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["", ""],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:0db8::7", "2001:db8:0:0::/64"],
  ["2001:0db8::7:ffff:2:3:4", "2001:db8:0:7::/64"],
  ["2001:db8::7:0:0:0:9%eth0", "2001:db8:0:7::/64"],
  ["::1", "0:0:0:0::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  ["64:ff9b::198.51.100.1", "64:ff9b:0:0::/64"],
];
for (const [address, key] of limitKeys) {
  it(`counts "${address}" as ${key}`, () => assert.equal(addressLimitKey(address), key));
}
