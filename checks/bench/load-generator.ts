/** A load generator in a process of its own, which costs little for each request. */
import { WorkerProcess } from "./worker-process.ts";

export interface LoadCommand {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Whole HTTP/1.1 requests as bytes, sent in turns. */
  readonly requests: readonly Uint8Array[];
  /** Each sends the next request as soon as it has an answer. */
  readonly connections: number;
  /** How long; unless given, every request is sent once. */
  readonly milliseconds?: number;
}

export interface LoadReport {
  /** From the first request until the last answer. */
  readonly tookMs: number;
  /** Of each answer, from the request until its last byte. */
  readonly latenciesMs: Float64Array;
}

export type LoadGenerator = WorkerProcess<LoadCommand, LoadReport>;

export function startLoadGenerator(): LoadGenerator {
  return new WorkerProcess(new URL("load-worker.ts", import.meta.url));
}

/** A request as the contract writes it. @param body bytes are a message in binary protobuf. */
export function httpRequest(path: string, token: string, body: object | Uint8Array): Buffer {
  const isBinary = body instanceof Uint8Array;
  const content = isBinary ? body : JSON.stringify(body);
  return rawRequest(path, content, {
    Authorization: `Bearer ${token}`,
    "Connect-Protocol-Version": "1",
    "Content-Type": `application/${isBinary ? "proto" : "json"}`,
  });
}

export function rawRequest(
  path: string,
  content: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = `Content-Length: ${Buffer.byteLength(content)}`;
  const head = [`POST ${path} HTTP/1.1`, "Host: 127.0.0.1", ...lines, length].join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), Buffer.from(content)]);
}
