/** Asks real servers over real sockets, with any headers, also those that `fetch` never sends. */
import { request as requestHttp1 } from "node:http";
import { type ClientHttp2Stream, type ClientSessionOptions, connect } from "node:http2";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

interface Question {
  readonly method: string;
  readonly path: string;
  /** Alternating names and values; a name may occur twice. */
  readonly headers: readonly string[];
  /** `unfinished`: announced and begun, but its end is not sent before the answer is there. */
  readonly body: string | "unfinished";
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export type Ask = (address: string, question: Question) => Promise<Answer>;

export async function askHttp1(address: string, question: Question): Promise<Answer> {
  const { method, path, headers, body } = question;
  const length = body === "unfinished" ? 1000 : Buffer.byteLength(body);
  const lengthHeader = method === "POST" ? ["content-length", `${length}`] : [];
  const host = ["host", new URL(address).host];
  const url = new URL(path, address);
  const request = requestHttp1(url, { method, headers: [...headers, ...lengthHeader, ...host] });
  const answered = new Promise<Answer>((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => resolve({ status, headers, body }), reject);
    });
  });
  sendBody(request, body);
  const answer = await answered;
  request.destroy();
  return answer;
}

export async function askHttp2(address: string, question: Question): Promise<Answer> {
  const { method, path, headers, body } = question;
  // Node validates the headers that it sends; attackers do not.
  const options: ClientSessionOptions & StrictOption = { strictSingleValueFields: false };
  const session = connect(address, options);
  try {
    const pseudo = [":method", method, ":path", path, ":scheme", "http", ":authority", "localhost"];
    const stream = session.request([...pseudo, ...headers], { endStream: false });
    sendBody(stream, body);
    return await answerOf(stream);
  } finally {
    session.destroy();
  }
}

/** Missing in the types of Node, which know it of servers only. */
interface StrictOption {
  strictSingleValueFields: boolean;
}

function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    stream.on("error", reject);
    stream.on("response", (headers) => {
      text(stream as Readable).then((body) => {
        resolve({ status: Number(headers[":status"]), headers, body });
      }, reject);
    });
  });
}

function sendBody(
  sending: { write(text: string): unknown; end(text: string): unknown },
  body: string,
): void {
  if (body === "unfinished") sending.write("{");
  else sending.end(body);
}
