import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { it } from "node:test";
import { callerAddress } from "./caller-address.ts";

const proxies = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"];
const cases: [
  what: string,
  socket: string | undefined,
  forwardedFor: string | undefined,
  address: string,
][] = [
  ["a caller without a proxy", "203.0.113.9", undefined, "203.0.113.9"],
  ["a caller that says it is another", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["IPv4 on a socket of both kinds", "::ffff:203.0.113.9", undefined, "203.0.113.9"],
  ["a link-local address", "fe80::1%eth0", undefined, "fe80::1"],
  ["a caller of our proxy", "127.0.0.1", "203.0.113.9", "203.0.113.9"],
  ["a caller of our proxy that lied before", "10.1.2.3", "1.1.1.1, 203.0.113.9", "203.0.113.9"],
  ["a caller of two proxies", "::ffff:10.1.2.3", "203.0.113.9, fd00::7", "203.0.113.9"],
  ["a caller with a port", "127.0.0.1", "203.0.113.9:4711", "203.0.113.9"],
  ["a caller with a port in IPv6", "127.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"],
  ["a caller in brackets", "127.0.0.1", "[2001:db8::1]", "2001:db8::1"],
  ["two proxies that append ports", "127.0.0.1", "203.0.113.9:1, 10.0.0.7:99", "203.0.113.9"],
  ["a port that is none", "127.0.0.1", "203.0.113.9:http", "127.0.0.1"],
  ["our proxy itself", "127.0.0.1", undefined, "127.0.0.1"],
  ["our proxy, with what is not an address", "127.0.0.1", "203.0.113.9, unknown", "127.0.0.1"],
  ["our proxy, with nothing", "127.0.0.1", "", "127.0.0.1"],
  ["a chain of proxies without end", "127.0.0.1", "10.0.0.1,".repeat(99), "127.0.0.1"],
  ["a connection that has gone", undefined, "203.0.113.9", ""],
];
for (const [what, remoteAddress, forwardedFor, expected] of cases) {
  it(`knows ${what}`, () => {
    const headers = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor };
    const request = { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
    assert.equal(callerAddress(proxies)(request), expected);
  });
}

it("trusts no proxy by default", () => {
  const request = {
    socket: { remoteAddress: "127.0.0.1" },
    headers: { "x-forwarded-for": "203.0.113.9" },
  } as unknown as IncomingMessage;
  assert.equal(callerAddress([])(request), "127.0.0.1");
});
