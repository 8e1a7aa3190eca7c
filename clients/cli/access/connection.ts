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
import { parseUrl } from "../arguments.ts";
import { dataDirOf, type LocalClient, readLocalClient } from "./local-client.ts";
import { requestToken } from "./request-token.ts";

export interface ConnectionOptions {
  readonly baseUrl?: string;
  readonly token?: string;
}

/** The part of a command's help that says where its token comes from. */
export const connectionHelp = `
Without --token and STOWAGE_TOKEN the command gets a token for the client that npm start made, whose
credentials are in DATA_DIR (default: ./data). Others can see --token in the list of processes, but
not STOWAGE_TOKEN.
`;

export function addConnectionOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--base-url <url>",
        "address of the uploads service (default: the one started last)",
      )
        .env("BASE_URL")
        .argParser(parseUrl),
    )
    .addOption(new Option("--token <token>", "access token").env("STOWAGE_TOKEN"));
}

/** A client of one of the uploads service's interfaces, with the caller's token in every call. */
export async function connect<Service extends DescService>(
  service: Service,
  options: ConnectionOptions,
): Promise<Client<Service>> {
  const local = await readLocalClient(dataDirOf(process.env));
  const baseUrl = options.baseUrl ?? local?.baseUrl ?? baseUrlDefault;
  // Never send a token of the local issuer to another service.
  const own = baseUrl === local?.baseUrl ? local : undefined;
  const token = options.token ?? (await tokenOf(own));
  const transport = createConnectTransport({
    baseUrl,
    httpVersion: "1.1",
    interceptors: [withToken(token)],
    binaryOptions: { recursionLimit: messageDepthMax },
    defaultTimeoutMs: timeoutMs,
  });
  return createClient(service, transport);
}

const baseUrlDefault = "http://127.0.0.1:8080";

/** A tree is at most 512 folders deep. The messages in the deepest folder add a few levels. */
const messageDepthMax = 1024;

/** Longer than the limit of any service, so that the service's limit counts. */
const timeoutMs = 600_000;

async function tokenOf(local: LocalClient | undefined): Promise<string> {
  if (local === undefined) {
    throw new Error(
      "Cannot find an access token: set STOWAGE_TOKEN, give --token, or run npm start once",
    );
  }
  return (await requestToken(local)).accessToken;
}

function withToken(token: string): Interceptor {
  return (next) => (request) => {
    request.header.set("authorization", `Bearer ${token}`);
    return next(request);
  };
}

/**
 * An Error for a failed call. Its message has the act, the code and reason as in `api/errors.md`,
 * and the service's own message.
 */
export function callError(act: string, error: unknown): Error {
  if (!(error instanceof ConnectError)) return new Error(act, { cause: error });
  const [info] = error.findDetails(ErrorInfoSchema);
  const reason = info === undefined ? "" : ` ${info.reason}`;
  return new Error(`${act}: ${codeName(error.code)}${reason}: ${error.rawMessage}`);
}

function codeName(code: Code): string {
  return Code[code].replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}
