/**
 * Searches while somebody types. Each is given up a moment after it was sent: half of them by a
 * short deadline and half by disconnecting; half over HTTP/1.1 and half over HTTP/2.
 */
import { Agent } from "node:http";
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import { text as textOf } from "node:stream/consumers";
import { callHeaders } from "../../../testing/call-headers.ts";
import { answerOf } from "./answer.ts";
import { type Call, type Caller, type CallerCommand, count, type Ends } from "./caller.ts";
import { connectHttp2 } from "./connect-http2.ts";
import { startPaced } from "./pace.ts";

/** As many as 125 people cause who type four characters a second: 5,000 in ten seconds. */
const perSecond = 500;
const givenUpAfterMs = 8;
const timeout = { "connect-timeout-ms": `${givenUpAfterMs}` };

export function startTypeAhead(command: CallerCommand): Caller {
  const agent = new Agent({ keepAlive: true });
  const ends: Ends = {};
  let session: ClientHttp2Session | undefined;
  // The service may close a session in which too many streams are given up.
  const openSession = () => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connectHttp2(command);
      session.on("error", () => undefined);
    }
    return session;
  };
  const hangUpLater = () => AbortSignal.timeout(givenUpAfterMs);
  const ways: readonly ((call: Call) => Promise<string>)[] = [
    async (call) => (await answerOf(command, call, { agent, headers: timeout })).status,
    async (call) => (await answerOf(command, call, { agent, signal: hangUpLater() })).status,
    (call) => statusOf(openSession(), call, timeout),
    (call) => statusOf(openSession(), call, {}, hangUpLater()),
  ];
  const pace = startPaced(perSecond, async (number) => {
    const call = command.calls[number % command.calls.length]!;
    const status = await ways[number % ways.length]!(call);
    count(ends, status === "200" ? "answered" : "aborted");
    if (status !== "200") count(ends, status);
  });
  return {
    async stop() {
      await pace.stop();
      agent.destroy();
      session?.destroy();
      return { ends, latenciesMs: [] };
    },
  };
}

/** The status of a call over HTTP/2, or the code of the error that ended it. */
async function statusOf(
  session: ClientHttp2Session,
  call: Call,
  headers: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<string> {
  try {
    const stream: ClientHttp2Stream = session.request(
      { ":method": "POST", ":path": call.path, ...callHeaders(call.token), ...headers },
      { ...(signal && { signal }) },
    );
    let status = "no answer";
    stream.on("response", (head) => (status = `${head[constants.HTTP2_HEADER_STATUS]}`));
    stream.end(call.body);
    await textOf(stream);
    return status;
  } catch (error) {
    return `${(error as NodeJS.ErrnoException).code ?? error}`;
  }
}
