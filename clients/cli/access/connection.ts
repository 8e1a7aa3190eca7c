/** How commands find the service and get a token. All have the same options for that. */
import type { DescService } from "@bufbuild/protobuf";
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
} from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import { type Command, Option } from "commander";
import { baseUrlOption } from "../arguments.ts";
import { WrongUsageError } from "../command-line.ts";
import { type Access, type ConnectionOptions, chooseAccess } from "./choose-access.ts";
import { tokenOfLogin } from "./login-token.ts";
import { systemErrorOf, unreachableText } from "./unreachable.ts";

/** The part of a command's help that says where its token comes from. */
export const connectionHelp = `
Without --token and STOWAGE_TOKEN the command uses the login for that address (stowage login), or
else the client that npm start made, whose credentials are in DATA_DIR (default: ./data). Others can
see --token in the list of processes, but not STOWAGE_TOKEN.
`;

export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(baseUrlOption())
    .addOption(new Option("--token <token>", "access token").env("STOWAGE_TOKEN"));
}

/** A client of one of the uploads service's interfaces, with the caller's token in every call. */
export async function connect<Service extends DescService>(
  service: Service,
  options: ConnectionOptions,
): Promise<Client<Service>> {
  const transport = createConnectTransport({
    ...(await transportOptions(options)),
    httpVersion: "1.1",
    binaryOptions: { recursionLimit: messageDepthMax },
  });
  return createClient(service, transport);
}

/** What all calls have in common: the address, the token, and the time limit. */
export async function transportOptions(options: ConnectionOptions) {
  const access = await chooseAccess(options);
  const { baseUrl } = access;
  const interceptors = [withAddress(baseUrl), withToken(access)];
  return { baseUrl, interceptors, defaultTimeoutMs: timeoutMs };
}

/** A tree is at most 512 folders deep. The messages in the deepest folder add a few levels. */
const messageDepthMax = 1024;

/** Longer than the limit of any service, so that the service's limit counts. */
const timeoutMs = 600_000;

/** A token may be revoked before it expires: a login then gets another one, once. */
function withToken({ accessToken, login }: Access): Interceptor {
  return (next) => async (request) => {
    request.header.set("authorization", `Bearer ${accessToken}`);
    try {
      return await next(request);
    } catch (error) {
      const isRefused = error instanceof ConnectError && error.code === Code.Unauthenticated;
      if (!isRefused || login === undefined) throw error;
      const renewed = await tokenOfLogin(login, accessToken);
      request.header.set("authorization", `Bearer ${renewed.accessToken}`);
      return await next(request);
    }
  };
}

/** At the address is nothing, or something else than an uploads service. */
class WrongAddressError extends Error {
  readonly baseUrl: string;

  constructor(baseUrl: string, reason: string) {
    super(reason);
    this.baseUrl = baseUrl;
  }
}

function withAddress(baseUrl: string): Interceptor {
  return (next) => (request) =>
    next(request).catch((error: unknown) => {
      const reason = wrongAddressText(error);
      throw reason === undefined ? error : new WrongAddressError(baseUrl, reason);
    });
}

/** Calls of an uploads service end so, too, or those of a proxy before one. */
const unanswered: ReadonlySet<Code> = new Set([
  ...[Code.Aborted, Code.Canceled, Code.DeadlineExceeded],
  ...[Code.ResourceExhausted, Code.Unavailable],
]);

/** What is wrong with the address; undefined if an uploads service is there. */
function wrongAddressText(error: unknown): string | undefined {
  const text = unreachableText(error, "--base-url");
  if (text !== undefined || !(error instanceof ConnectError)) return text;
  const reason = reasonOf(error);
  // A server that takes no such request closes the connection. Other errors tell what is wrong.
  const isSystemError = ![undefined, "EPIPE"].includes(systemErrorOf(error)?.code);
  const isKnown = reason !== undefined || unanswered.has(error.code) || isSystemError;
  // The paths below the address are right.
  if (isKnown && reason !== "METHOD_UNKNOWN") return undefined;
  const answer = reason ?? (error.rawMessage || codeName(error.code));
  return `no uploads service answers there (${answer}); check --base-url or BASE_URL`;
}

/**
 * An Error for a failed call. Its message has the act, the service's own message, and the reason
 * as in `api/errors.md`, or the code if there is none. Requests are made of what the user typed, so
 * a refused one is wrong usage.
 */
export function callError(act: string, error: unknown): Error {
  if (!(error instanceof ConnectError)) return new Error(act, { cause: error });
  const { cause } = error;
  if (cause instanceof WrongAddressError) return new Error(`${act} at ${cause.baseUrl}`, { cause });
  const text = `${act}: ${error.rawMessage} (${reasonOf(error) ?? codeName(error.code)})`;
  return error.code === Code.InvalidArgument ? new WrongUsageError(text) : new Error(text);
}

/** The reason of a refused call, as in `api/errors.md`. */
export function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof ConnectError)) return undefined;
  return error.findDetails(ErrorInfoSchema).find(({ domain }) => domain === "stowage")?.reason;
}

function codeName(code: Code): string {
  return Code[code].replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}
