/** One HTTP/1.1 call, and how it ended. */
import { once } from "node:events";
import { type Agent, type IncomingMessage, request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { callHeaders } from "../../../testing/call-headers.ts";
import type { Call, Endpoint } from "./caller.ts";

interface CallOptions {
  readonly agent: Agent;
  readonly headers?: Readonly<Record<string, string>>;
  /** Hangs up when it aborts. */
  readonly signal?: AbortSignal;
}

interface Answer {
  /** Of HTTP, or the code of the error that ended the call without an answer. */
  readonly status: string;
  readonly text: string;
}

export async function answerOf(
  { port, localAddress }: Endpoint,
  call: Call,
  { agent, headers, signal }: CallOptions,
): Promise<Answer> {
  const sent = request({
    host: "127.0.0.1",
    port,
    localAddress,
    agent,
    path: call.path,
    method: "POST",
    headers: { ...callHeaders(call.token), ...headers },
    ...(signal && { signal }),
  });
  try {
    const responding = once(sent, "response") as Promise<[IncomingMessage]>;
    sent.end(call.body);
    const [response] = await responding;
    return { status: `${response.statusCode}`, text: await textOf(response) };
  } catch (error) {
    return { status: `${(error as NodeJS.ErrnoException).code ?? error}`, text: "" };
  }
}
