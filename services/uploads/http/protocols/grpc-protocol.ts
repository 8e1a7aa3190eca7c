/** gRPC and gRPC-Web for unary calls, by the framework's handlers. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type Message,
  type MessageShape,
} from "@bufbuild/protobuf";
import {
  Code,
  ConnectError,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type MethodImplSpec,
} from "@connectrpc/connect";
import {
  assertByteStreamRequest,
  type Compression,
  type UniversalHandler,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import { createHandlerFactory as createGrpcFactory } from "@connectrpc/connect/protocol-grpc";
import { createHandlerFactory as createGrpcWebFactory } from "@connectrpc/connect/protocol-grpc-web";
import { compressionGzip, universalRequestFromNodeRequest } from "@connectrpc/connect-node";
import type { Call, Handler } from "../../calls/handler.ts";
import { ApiError } from "../../model/api-error.ts";
import { end, isCallerGone, type NodeRequest, type NodeResponse, writeHead } from "../node-http.ts";
import type { RunningCall } from "../running-call.ts";
import type { Serve, UnaryOptions } from "./connect-protocol.ts";
import { connectErrorOf } from "./error-answers.ts";
import { decompress } from "./read-body.ts";
import { encodeAnswer, writeInSteps } from "./send-answer.ts";

interface ServedRequest {
  /** The request as Node has it. */
  readonly request: NodeRequest;
  readonly call: RunningCall;
  /** The call with its verified token and its memory. */
  admitted?: Call;
  /** Whether the message was read. If not, the call is refused. */
  isMessageRead: boolean;
}

const servedKey = createContextKey<ServedRequest | undefined>(undefined, {
  description: "The request and its call",
});

/** Returns how calls with a Content-Type are served, or undefined when they are not gRPC's. */
export function grpcProtocols<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  options: UnaryOptions,
): (contentType: string) => Serve | undefined {
  // The framework sends Connect errors to the caller and hides all others.
  const orConnectError = async <Result>(work: Promise<Result>, { record, signal }: RunningCall) => {
    try {
      return await work;
    } catch (error) {
      const apiError = options.reportError(error, { operation: method.name, signal });
      record.fail(apiError.reason);
      throw connectErrorOf(apiError);
    }
  };
  const requestGate = async (context: HandlerContext) => {
    const served = servedIn(context);
    const { request, call } = served;
    served.admitted = await orConnectError(options.admit(request, call), call);
  };
  const handle = async (messages: AsyncIterable<MessageShape<Input>>, context: HandlerContext) => {
    const served = servedIn(context);
    const { admitted, call } = served;
    if (admitted === undefined) throw new Error("Cannot serve a call: its token was not checked");
    const message = await singleOf(messages, method.input);
    served.isMessageRead = true;
    const encoding = handler(message, admitted).then((answer) =>
      encodeAnswer(method.output, answer),
    );
    return encodedMessage(method.output, await orConnectError(encoding, call));
  };
  // As a stream of one message, so that `singleOf` gets the errors of reading it.
  const spec = { kind: "client_streaming", method, impl: handle } as unknown as MethodImplSpec;
  const frameworkOptions = {
    acceptCompression: [withStableErrors(compressionGzip)],
    readMaxBytes: options.bodyBytesMax,
    requestGate,
  };
  const grpc = createGrpcFactory(frameworkOptions)(spec);
  const grpcWeb = createGrpcWebFactory(frameworkOptions)(spec);
  return (contentType) => {
    // The framework's JSON differs from the contract's.
    if (/json/i.test(contentType)) return undefined;
    if (grpcWeb.supportedContentType(contentType)) return serveBy(grpcWeb);
    return grpc.supportedContentType(contentType) ? serveBy(grpc) : undefined;
  };
}

function servedIn({ values }: HandlerContext): ServedRequest {
  const served = values.get(servedKey);
  if (served === undefined) throw new Error("Cannot serve a call: its request is not known");
  return served;
}

/** The one message of a request. The framework would answer INTERNAL if it cannot be parsed. */
async function singleOf<Desc extends DescMessage>(
  messages: AsyncIterable<MessageShape<Desc>>,
  { typeName }: Desc,
): Promise<MessageShape<Desc>> {
  const malformed = (cause?: unknown) =>
    connectErrorOf(new ApiError("BODY_MALFORMED", `the body is not one ${typeName}`, { cause }));
  let single: MessageShape<Desc> | undefined;
  try {
    for await (const message of messages) {
      if (single !== undefined) throw malformed();
      single = message;
    }
  } catch (error) {
    throw error instanceof ConnectError && error.code !== Code.Internal ? error : malformed(error);
  }
  if (single === undefined) throw malformed();
  return single;
}

/**
 * A message whose encoding is these bytes, for a framework that encodes messages itself. It encodes
 * unknown fields as they are: the first field carries the whole message.
 */
function encodedMessage(schema: DescMessage, bytes: Uint8Array): Message {
  const message = create(schema);
  const [tag] = bytes;
  if (tag !== undefined) {
    message.$unknown = [{ no: tag >>> 3, wireType: tag & 7, data: bytes.subarray(1) }];
  }
  return message;
}

/** The same compression, but a malformed body fails as in the Connect protocol. */
function withStableErrors(compression: Compression): Compression {
  return {
    ...compression,
    async decompress(bytes, bytesMax) {
      try {
        return await decompress(compression, bytes, bytesMax);
      } catch (error) {
        throw error instanceof ApiError ? connectErrorOf(error) : error;
      }
    },
  };
}

function serveBy(handler: UniversalHandler): Serve {
  return async (request, response, call) => {
    const { record, signal } = call;
    record.protocol = "grpc";
    const served: ServedRequest = { request, call, isMessageRead: false };
    const contextValues = createContextValues().set(servedKey, served);
    const universal = universalRequestFromNodeRequest(request, response, undefined, contextValues);
    assertByteStreamRequest(universal);
    const answer = await handler({ ...universal, body: readUntilAborted(universal.body, signal) });
    const abortedBy: ApiError | undefined = signal.reason;
    if (abortedBy !== undefined) {
      record.fail(abortedBy.reason);
      return await sendError(answer, response);
    }
    await sendResponse(answer, response, call);
    // The framework reads the message while it is answered.
    if (!served.isMessageRead) record.fail("BODY_MALFORMED");
  };
}

/** Passes the chunks on until the signal aborts; then throws its reason as a Connect error. */
export async function* readUntilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<never>();
  // An abort that nothing waits for must not count as an unhandled rejection.
  aborted.promise.catch(() => {});
  const onAbort = () => aborted.reject(connectErrorOf(signal.reason));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    for (;;) {
      const chunk = await Promise.race([chunks.next(), aborted.promise]);
      if (chunk.done === true) return;
      yield chunk.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Sends a response without a message, which is short, also when its call was aborted. */
async function sendError(
  { status, header, body, trailer }: UniversalServerResponse,
  response: NodeResponse,
): Promise<void> {
  const chunks = await Array.fromAsync(body ?? []);
  if (isCallerGone(response)) return;
  writeHead(response, status, Object.fromEntries(header ?? []));
  if (trailer !== undefined) response.addTrailers(Object.fromEntries(trailer));
  void end(response, Buffer.concat(chunks));
}

/**
 * Writes a response to its end, as fast as the caller reads. Rejects when the body fails, and with
 * the signal's reason when it aborts: then the response is incomplete.
 */
export async function sendResponse(
  { status, header, body, trailer }: UniversalServerResponse,
  response: NodeResponse,
  call: RunningCall,
): Promise<void> {
  const chunks = body?.[Symbol.asyncIterator]();
  try {
    // The framework may change the headers until the first chunk.
    let chunk = await chunks?.next();
    await call.sendStep(0, async () => {
      // Node's HTTP/2 loses the trailers of a response that is ended before its headers are sent.
      writeHead(response, status, Object.fromEntries(header ?? []));
    });
    while (chunk !== undefined && chunk.done !== true) {
      await writeInSteps(response, call, chunk.value);
      chunk = await chunks?.next();
    }
    await call.sendStep(0, async () => {
      if (trailer !== undefined) response.addTrailers(Object.fromEntries(trailer));
      await end(response);
    });
  } finally {
    // Frees the source of the remaining chunks. The caller is gone, so a failure does not matter.
    chunks?.return?.().catch(() => {});
  }
}
