import assert from "node:assert/strict";
import { it } from "node:test";
import { networkOf } from "./request-rate.ts";

const cases: [address: string, network: string][] = [
  ["203.0.113.9", "203.0.113.9"],
  ["", ""],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:0db8::7", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  ["64:ff9b::198.51.100.1", "64:ff9b:0:0::/64"],
];
for (const [address, network] of cases) {
  it(`counts "${address}" as ${network}`, () => assert.equal(networkOf(address), network));
}
