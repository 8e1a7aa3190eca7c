/** How `ls` and `tree` find the service and get a token. Both have the same options. */
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
import { type Access, type ConnectionOptions, chooseAccess } from "./choose-access.ts";
import { tokenOfLogin } from "./login-token.ts";
import { withAdvice } from "./nobody-listens.ts";

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
  const access = await chooseAccess(options);
  const { baseUrl } = access;
  const transport = createConnectTransport({
    baseUrl,
    httpVersion: "1.1",
    interceptors: [withToken(access)],
    binaryOptions: { recursionLimit: messageDepthMax },
    defaultTimeoutMs: timeoutMs,
  });
  return createClient(service, transport);
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

/**
 * An Error for a failed call. Its message has the act, the code and reason as in `api/errors.md`,
 * and the service's own message.
 */
export function callError(act: string, error: unknown): Error {
  const advised = withAdvice(error);
  if (advised !== error) return new Error(act, { cause: advised });
  if (!(error instanceof ConnectError)) return new Error(act, { cause: error });
  const [info] = error.findDetails(ErrorInfoSchema);
  const reason = info === undefined ? "" : ` ${info.reason}`;
  return new Error(`${act}: ${codeName(error.code)}${reason}: ${error.rawMessage}`);
}

function codeName(code: Code): string {
  return Code[code].replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}
