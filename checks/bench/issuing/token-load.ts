/** Asks the token endpoint for one token after the other, over several connections. */
import { Connection } from "../load/connection.ts";

/** Enough that the service always has work: 64 are no faster, 16 are slower. */
const connections = 32;

/** Sends a form again and again for some time. Returns the number of tokens per second. */
export async function tokensPerSecond(
  port: number,
  request: Buffer,
  turnMs: number,
): Promise<number> {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  try {
    const startedAt = performance.now();
    let tokens = 0;
    const ask = async (connection: Connection) => {
      while (performance.now() - startedAt < turnMs) {
        await connection.send(request);
        tokens++;
      }
    };
    await Promise.all(open.map(ask));
    return tokens / ((performance.now() - startedAt) / 1000);
  } finally {
    for (const connection of open) connection.close();
  }
}

/** A form as a request to the token endpoint. */
export function tokenRequest(form: Record<string, string>, authorization?: string): Buffer {
  const body = new URLSearchParams(form).toString();
  const lines = [
    "POST /token HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(authorization === undefined ? [] : [`Authorization: ${authorization}`]),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
