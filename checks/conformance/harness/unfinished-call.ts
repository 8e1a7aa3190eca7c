import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { listUploadsPath } from "./json-caller.ts";

/**
 * The status with which a call is answered that sends some 100 KiB of body and never ends.
 * `length` is the content length it announces; without one the body comes in chunks.
 */
export async function answerBeforeEnd(
  url: string,
  token: string,
  length: string | undefined,
): Promise<number | undefined> {
  const call = request(new URL(listUploadsPath, url), {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "connect-protocol-version": "1",
      "content-type": "application/json",
      ...(length === undefined ? {} : { "content-length": length }),
    },
    signal: AbortSignal.timeout(10_000),
  });
  call.write(" ".repeat(100_000));
  const [response] = (await once(call, "response")) as [IncomingMessage];
  // The service may cut the connection once it has answered.
  call.on("error", () => {});
  call.destroy();
  return response.statusCode;
}
