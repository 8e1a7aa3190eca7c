/** Whose an address is, as far as it tells: for counting, since not every address is somebody. */
import { isIP } from "node:net";

/** What one customer or machine is given at least (RFC 6177), and chooses addresses in freely. */
const networkGroups = 4;
const groupsOfAddress = 8;

/** The network of 64 bits that an IPv6 address is in; any other address as it is. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  // As a URL has it: in lower case, without leading zeros, and with no IPv4 at its end.
  const { hostname } = new URL(`http://[${address}]`);
  const [start = [], end = []] = hostname
    .slice(1, -1)
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = Array.from({ length: groupsOfAddress - start.length - end.length }, () => "0");
  return `${[...start, ...zeros, ...end].slice(0, networkGroups).join(":")}::/64`;
}
