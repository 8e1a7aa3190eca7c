/** The options that say how an S3 store is reached and what is listed. */
import { type Command, InvalidArgumentError, Option } from "commander";

/** The values of the options. */
export interface StoreOptions {
  readonly endpoint?: string;
  readonly region?: string;
  readonly pathStyle?: true;
  readonly profile?: string;
  readonly tags?: true;
  readonly versions?: true;
}

/** Adds the options to a command. */
export function addStoreOptions(command: Command): Command {
  return command
    .option("--endpoint <url>", "address of the store; default: that of AWS", parseEndpoint)
    .option("--region <region>", "region of the bucket; default: that of the AWS configuration")
    .option("--path-style", "name the bucket in the path, as most stores other than AWS need")
    .option("--profile <name>", "profile of the AWS configuration with the credentials")
    .option("--tags", "read the tags of each object, too: one more request for each")
    .option("--versions", "list the version IDs of a versioned bucket");
}

/** How the content of a source gets to callers. */
export interface StoreContentOptions {
  readonly publicEndpoint?: string;
  readonly content?: "link" | "stream";
}

/** Adds the options to a command that makes a source. */
export function addStoreContentOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--public-endpoint <url>", "address of the store for callers; default: --endpoint")
        .argParser(parseEndpoint)
        .conflicts("content"),
    )
    .addOption(
      new Option(
        "--content <how>",
        "send callers a link to the store, the default, or stream the bytes through the service",
      ).choices(["link", "stream"]),
    );
}

// A user name and a password would be stored with the source, and not be used.
function parseEndpoint(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "") {
    return text;
  }
  throw new InvalidArgumentError("Need an http or https address without a user name and password.");
}
