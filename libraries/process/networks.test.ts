import assert from "node:assert/strict";
import { it } from "node:test";
import { addressOwner, inNetworks, parseNetwork, plainAddress } from "./networks.ts";

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

it("takes an IPv6 network of 64 bits for one owner", () => {
  assert.equal(addressOwner("203.0.113.9"), "203.0.113.9");
  assert.equal(addressOwner("::ffff:203.0.113.9"), "203.0.113.9");
  const addresses = ["2001:db8:0:7::1", "2001:0db8::7:ffff:2:3:4", "2001:db8::7:0:0:0:9%eth0"];
  assert.deepEqual(new Set(addresses.map(addressOwner)), new Set(["2001:db8:0:7::/64"]));
  assert.equal(addressOwner("2001:db8:0:8::1"), "2001:db8:0:8::/64");
  assert.equal(addressOwner("::1"), "0:0:0:0::/64");
});
