/** Which code serves which request path, over all protocols. */
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { AccessTokenValidator } from "@stowage/access-token";
import { authenticateFor, methodPath } from "./authenticate.ts";
import { connectUnary, type Serve, type UnaryOptions } from "./connect-unary.ts";
import { frameworkUnary } from "./framework-unary.ts";
import type { Handler } from "./handler.ts";

/** A method and the path of its requests. */
export interface ServedMethod {
  readonly path: string;
  /** Serves one call of the method, whichever protocol it comes by. */
  readonly serve: Serve;
}

export type MethodOptions = Omit<UnaryOptions, "authenticate"> & {
  readonly validator: AccessTokenValidator;
};

export function serveMethod<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  { validator, ...others }: MethodOptions,
): ServedMethod {
  const options = { ...others, authenticate: authenticateFor(method, validator) };
  const connect = connectUnary(method, handler, options);
  const framework = frameworkUnary(method, handler, options);
  return {
    path: methodPath(method),
    serve(request, response, signal) {
      const serve = framework(request.headers["content-type"] ?? "") ?? connect;
      return serve(request, response, signal);
    },
  };
}
