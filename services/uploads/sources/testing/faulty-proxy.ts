/** For tests: a proxy between a client and an S3 server that damages answers. */
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/**
 * - `cut`: the connection ends in the middle of the answer
 * - `truncate`: the answer ends in the middle, as if it were complete
 * - `empty`: the answer has no body
 * - `disorder`: the first two objects change places
 * - `unended`: the answer does not say whether the listing goes on
 * - `login`: a page for people in place of the answer, with status 200
 * - `endless`: a page without objects, after which the listing goes on where it was
 * - `stall`: no answer
 * - `pause`: half of the answer, and then nothing
 * - an error of that status and code
 * - an answer with that status and content
 */
export type Fault =
  | "cut"
  | "truncate"
  | "empty"
  | "disorder"
  | "unended"
  | "login"
  | "endless"
  | "stall"
  | "pause"
  | {
      readonly status: number;
      readonly code: string;
      readonly text?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly status: number; readonly content: string };

export interface FaultyProxy {
  readonly endpoint: string;
  /** Requests so far. */
  readonly requests: number;
  /** Decides on the fault of each request from now on, by its number. */
  damage(fault: (number: number, path: string) => Fault | undefined): void;
  stop(): Promise<void>;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let faultOf: (number: number, path: string) => Fault | undefined = () => undefined;
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests += 1;
    const fault = faultOf(requests, incoming.url ?? "");
    if (typeof fault === "object") return sendAnswer(outgoing, fault);
    if (fault === "stall") return;
    const { method = "GET", url = "/", headers } = incoming;
    const forwarded = request(new URL(url, target), { method, headers }, async (answer) => {
      const body = await buffer(answer);
      const { "content-length": _length, "transfer-encoding": _coding, ...others } = answer.headers;
      sendDamaged(outgoing, fault, { status: answer.statusCode ?? 500, headers: others, body });
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    damage(fault) {
      requests = 0;
      faultOf = fault;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Buffer;
}

function sendDamaged(
  outgoing: ServerResponse,
  fault: Exclude<Fault, object> | undefined,
  { status, headers, body }: Answer,
): void {
  const half = body.subarray(0, body.length / 2);
  if (fault === "cut" || fault === "pause") {
    outgoing.writeHead(status, { ...headers, "content-length": body.length });
    outgoing.write(half, () => fault === "cut" && outgoing.destroy());
    return;
  }
  let sent = body;
  if (fault === "truncate") sent = half;
  if (fault === "empty") sent = Buffer.alloc(0);
  if (fault === "disorder") sent = Buffer.from(swapFirstObjects(body.toString()));
  if (fault === "unended")
    sent = Buffer.from(`${body}`.replace(/<IsTruncated>\w+<.IsTruncated>/, ""));
  if (fault === "login") sent = Buffer.from("<!DOCTYPE html><html><p>Sign in</p></html>");
  if (fault === "endless") sent = Buffer.from(endlessPage);
  outgoing.writeHead(status, { ...headers, "content-length": sent.length }).end(sent);
}

const endlessPage = `<?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated>
  <NextContinuationToken>again</NextContinuationToken></ListBucketResult>`;

function swapFirstObjects(xml: string): string {
  return xml.replace(/(<Contents>.*?<\/Contents>)(<Contents>.*?<\/Contents>)/s, "$2$1");
}

function sendAnswer(outgoing: ServerResponse, fault: Exclude<Fault, string>): void {
  if ("content" in fault) {
    const length = Buffer.byteLength(fault.content);
    outgoing
      .writeHead(fault.status, { "content-type": "application/xml", "content-length": length })
      .end(fault.content);
    return;
  }
  const { status, code, text = code, headers = {} } = fault;
  outgoing
    .writeHead(status, { "content-type": "application/xml", ...headers })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${text}</Message></Error>`);
}
