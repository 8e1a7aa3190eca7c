/** How the calls of one method are admitted, and served in every protocol. */
import { MIMEType } from "node:util";
import type { DescMessage, DescMethodUnary } from "@bufbuild/protobuf";
import type { Call, Handler, StreamedAnswer } from "../calls/handler.ts";
import type { CallRecord } from "../telemetry/call-record.ts";
import type { AnswerMemory } from "./answer-memory.ts";
import {
  type CallerChecks,
  createAuthenticator,
  enforceRateLimit,
  methodPath,
  requiredScope,
} from "./authenticate.ts";
import {
  type Admit,
  connectProtocol,
  type Serve,
  type UnaryOptions,
} from "./protocols/connect-protocol.ts";
import { grpcProtocols } from "./protocols/grpc-protocol.ts";

/** What is served at one address. */
export interface Route {
  /** The name of the operation, and the service of a method. */
  readonly names: Pick<CallRecord, "operation" | "service">;
  readonly httpMethods: readonly string[];
  readonly serve: Serve;
}

/** A method, and how its calls are served in every protocol. */
export interface ServedMethod extends Route {
  readonly path: string;
}

type MethodOptions = Omit<UnaryOptions, "admit"> & CallerChecks & { readonly memory: AnswerMemory };

export function serveMethod<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  handler: Handler<Input>,
  { memory, ...others }: MethodOptions,
): ServedMethod {
  const authenticate = createAuthenticator(requiredScope(method), others);
  const admit: Admit = async (request, call) => {
    const caller = await authenticate(request, call);
    // Before the call is counted, which may take long: over HTTP/2, the caller may already have
    // sent 64 KiB of the body.
    const resizeAnswer = await memory.reserve(caller, call);
    await enforceRateLimit(caller, others, call);
    return { ...call, caller, resizeAnswer };
  };
  const options = { ...others, admit };
  const counted = countAnswers(handler);
  const connect = connectProtocol(method, counted, options);
  const grpc = grpcProtocols(method, counted, options);
  return {
    path: methodPath(method),
    names: { operation: method.name, service: method.parent.typeName },
    httpMethods: ["POST"],
    serve(request, response, call) {
      const contentType = plainMediaType(request.headers["content-type"] ?? "");
      // The framework knows few parameters, and these in one spelling.
      request.headers["content-type"] = contentType;
      const serve = grpc(contentType) ?? connect;
      return serve(request, response, call);
    },
  };
}

/** Wraps an operation so that its answers count. */
export function countAnswers<Input extends DescMessage>(handler: Handler<Input>): Handler<Input> {
  return async (request, call) => {
    const answer = await handler(request, call);
    if (!("json" in answer)) return countBinary(answer, call.resizeAnswer);
    try {
      call.resizeAnswer(answer.json.length);
    } catch (error) {
      answer.release();
      throw error;
    }
    return answer;
  };
}

function countBinary(answer: StreamedAnswer, resize: Call["resizeAnswer"]): StreamedAnswer {
  return {
    ...answer,
    async encodeBinary() {
      const message = await answer.encodeBinary();
      resize(message.length);
      return message;
    },
  };
}

/**
 * Returns the media type of a `Content-Type` in lower case and without its parameters, of which
 * none changes how a body is read (RFC 9110, section 8.3.1). Returns what it got if that is
 * malformed, or names another charset than UTF-8: no protocol supports it then.
 */
function plainMediaType(contentType: string): string {
  try {
    const { essence, params } = new MIMEType(contentType);
    return /^utf-?8$/i.test(params.get("charset") ?? "utf-8") ? essence : contentType;
  } catch {
    return contentType;
  }
}
