/** Which code serves which request path, over all protocols. */
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { HandlerContext, MethodImplSpec } from "@connectrpc/connect";
import type { UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { createHandlerFactory as createGrpcFactory } from "@connectrpc/connect/protocol-grpc";
import { createHandlerFactory as createGrpcWebFactory } from "@connectrpc/connect/protocol-grpc-web";
import { connectErrorOf } from "../rpc/connect-error.ts";
import { connectUnary, type UnaryHandler, type UnaryOptions } from "./connect-unary.ts";

type UnarySpec = Extract<MethodImplSpec, { kind: "unary" }>;

/** Serves one call of a method, whichever protocol it comes by. */
export type Serve = (request: UniversalServerRequest) => Promise<UniversalServerResponse>;

/** A method and the path of its requests. */
export interface ServedMethod {
  readonly path: string;
  readonly serve: Serve;
}

export function serveMethod<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handle: UnaryHandler<Input, Output>,
  options: UnaryOptions,
): ServedMethod {
  const connect = connectUnary(method, handle, options);
  // The framework's types lose the pairing of a method and its messages; it never mixes them.
  const impl = withConnectErrors(handle, options) as unknown as UnarySpec["impl"];
  const spec: UnarySpec = { kind: "unary", method, impl };
  const gate = withConnectErrors(
    (_request: undefined, context: HandlerContext) => options.authenticate(context),
    options,
  );
  const frameworkOptions = {
    acceptCompression: options.compressions,
    readMaxBytes: options.bodyBytesMax,
    requestGate: (context: HandlerContext) => gate(undefined, context),
  };
  const grpc = createGrpcFactory(frameworkOptions)(spec);
  const grpcWeb = createGrpcWebFactory(frameworkOptions)(spec);
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    serve(request) {
      const contentType = request.header.get("content-type") ?? "";
      // The framework's JSON is not the contract's: it converts, and ignores what it does not know.
      if (/json/i.test(contentType)) return connect(request);
      if (grpcWeb.supportedContentType(contentType)) return grpcWeb(request);
      if (grpc.supportedContentType(contentType)) return grpc(request);
      return connect(request);
    },
  };
}

// The framework passes Connect errors on and hides all others, for which it has no reason to tell.
function withConnectErrors<Request, Result>(
  work: (request: Request, context: HandlerContext) => Promise<Result>,
  options: UnaryOptions,
) {
  return async (request: Request, context: HandlerContext): Promise<Result> => {
    try {
      return await work(request, context);
    } catch (error) {
      throw connectErrorOf(options.refuse(error, context));
    }
  };
}
