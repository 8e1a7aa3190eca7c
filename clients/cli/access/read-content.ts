/**
 * Reads content as it is stored. `fetch` would decode an object that its store marks as compressed,
 * but the index has the stored size, and ranges count stored bytes.
 */
import http, { type IncomingMessage } from "node:http";
import https from "node:https";

/** The service redirects to the store, which may redirect to a bucket's own address. */
const redirectsMax = 5;
/** The longest time without a byte. */
const silenceMaxMs = 300_000;
const redirects: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** Resolves with the answer at the end of all redirects, whatever its status is. */
export async function readContent(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  let address = new URL(url);
  for (let redirected = 0; redirected <= redirectsMax; redirected++) {
    const answer = await get(address, headers);
    const { location } = answer.headers;
    if (!redirects.has(answer.statusCode) || location === undefined) return answer;
    answer.destroy();
    address = new URL(location, address);
  }
  throw new Error(`got more than ${redirectsMax} redirects`);
}

function get(address: URL, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const protocol = address.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const request = protocol.get(address, { headers, timeout: silenceMaxMs }, resolve);
    request.on("error", reject);
    request.on("timeout", () => request.destroy(new Error("the server has stopped answering")));
  });
}
