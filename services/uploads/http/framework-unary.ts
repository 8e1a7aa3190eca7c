/** gRPC and gRPC-Web for unary calls: the framework serves them. */
import { create, type DescMessage, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { createContextKey, type HandlerContext, type MethodImplSpec } from "@connectrpc/connect";
import {
  assertByteStreamRequest,
  type UniversalHandler,
  type UniversalServerRequest,
} from "@connectrpc/connect/protocol";
import { createHandlerFactory as createGrpcFactory } from "@connectrpc/connect/protocol-grpc";
import { createHandlerFactory as createGrpcWebFactory } from "@connectrpc/connect/protocol-grpc-web";
import { universalRequestFromNodeRequest } from "@connectrpc/connect-node";
import type { AccessToken } from "@stowage/access-token";
import { encodeAnswer } from "./codecs.ts";
import { connectErrorOf } from "./connect-error.ts";
import { authorizationOf, type Serve, type UnaryOptions } from "./connect-unary.ts";
import type { Handler } from "./handler.ts";
import { readUntilAborted } from "./read-until-aborted.ts";
import type { NodeRequest, NodeResponse } from "./request-listener.ts";
import { sendResponse } from "./send-response.ts";

type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;

const callerKey = createContextKey<AccessToken | undefined>(undefined, {
  description: "The verified token of the call",
});

/** Which calls of one method the framework serves, by their Content-Type, and how. */
export function frameworkUnary<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  options: UnaryOptions,
): (contentType: string) => Serve | undefined {
  // The framework passes Connect errors on and hides all others: it has no reason to tell them.
  const orConnectError = async <Result>(work: Promise<Result>, { signal }: HandlerContext) => {
    try {
      return await work;
    } catch (error) {
      throw connectErrorOf(options.refuse(error, { operation: method.name, signal }));
    }
  };
  const requestGate = async (context: HandlerContext) => {
    const authorization = context.requestHeader.get("authorization") ?? undefined;
    const caller = await orConnectError(options.authenticate(authorization), context);
    context.values.set(callerKey, caller);
  };
  const handle = async (request: never, context: HandlerContext) => {
    const caller = context.values.get(callerKey);
    if (caller === undefined) throw new Error("Cannot serve a call: its token was not checked");
    const answering = handler(request, { caller, signal: context.signal });
    const encoding = answering.then((answer) => encodeAnswer(method.output, answer));
    return encodedMessage(method.output, await orConnectError(encoding, context));
  };
  // The framework's types lose the pairing of a method and its messages; it never mixes them.
  const spec: UnarySpec = { kind: "unary", method, impl: handle as unknown as UnarySpec["impl"] };
  const frameworkOptions = {
    acceptCompression: options.compressions,
    readMaxBytes: options.bodyBytesMax,
    requestGate,
  };
  const grpc = createGrpcFactory(frameworkOptions)(spec);
  const grpcWeb = createGrpcWebFactory(frameworkOptions)(spec);
  return (contentType) => {
    // The framework's JSON is not the contract's: it converts, and ignores what it does not know.
    if (/json/i.test(contentType)) return undefined;
    if (grpcWeb.supportedContentType(contentType)) return serveBy(grpcWeb);
    return grpc.supportedContentType(contentType) ? serveBy(grpc) : undefined;
  };
}

/**
 * The message of these bytes, for a framework that encodes messages itself. It encodes fields that
 * a message does not know as they are: the first field here carries the whole message.
 */
function encodedMessage(schema: DescMessage, bytes: Uint8Array): Message {
  const message = create(schema);
  const [tag] = bytes;
  if (tag !== undefined) {
    message.$unknown = [{ no: tag >>> 3, wireType: tag & 7, data: bytes.subarray(1) }];
  }
  return message;
}

function serveBy(handler: UniversalHandler): Serve {
  return async (request, response, signal) => {
    const answered = await handler(toUniversal(request, response, signal));
    await sendResponse(answered, response, signal);
  };
}

function toUniversal(
  request: NodeRequest,
  response: NodeResponse,
  signal: AbortSignal,
): UniversalServerRequest {
  const universal = universalRequestFromNodeRequest(request, response, undefined, undefined);
  assertByteStreamRequest(universal);
  const authorization = authorizationOf(request);
  if (authorization !== undefined) universal.header.set("authorization", authorization);
  return { ...universal, signal, body: readUntilAborted(universal.body, signal) };
}
