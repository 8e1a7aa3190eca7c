/** How `ls` and `tree` come to a service and a token; the same options for both. */

import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type Command, Option } from "commander";
import { dataDirOf, type LocalClient, readLocalClient } from "./local-client.ts";
import { parseUrl } from "./parse-url.ts";
import { requestToken } from "./request-token.ts";

export interface ConnectionOptions {
  readonly baseUrl?: string;
  readonly token?: string;
}

/** Says at the end of a command's help where its token comes from. */
export const connectionHelp = `
Without --token and STOWAGE_TOKEN a token is got for the client that npm start made, whose
credentials lie in DATA_DIR (default: ./data). Others can see --token in the list of processes, but
not STOWAGE_TOKEN.
`;

/** Adds the options of a connection to a command. */
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
  // Another service is never given a token of the local one.
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

/** A tree is at most 512 folders deep; what is in the deepest adds a few levels more. */
const messageDepthMax = 1024;

/** Longer than any service is set to take: its own limit is what counts. */
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
