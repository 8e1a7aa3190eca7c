/** Predefined rows for settings tables, with the same names, units and limits in every program. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { z } from "zod";
import type { DataDir } from "../database/embedded/open-database.ts";
import type { AccessLogMode } from "../http/access-lines.ts";
import { parseNetwork } from "../http/networks.ts";
import { databaseUrlRow } from "./database-url.ts";
import { type Setting, setting } from "./settings.ts";

const textBytesMax = 4096;
const dataDirDefault = "./data";
const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export const rows = {
  /** Address to listen on: a name or IP address, without port. */
  host(): Setting<string> {
    const need = "a host name or an IP address";
    return setting(
      matching(/^[0-9A-Za-z._:%-]{1,255}$/, need),
      "Address to listen on.",
      "127.0.0.1",
    );
  },

  /** Port to listen on; 0 lets the system choose. */
  port(defaultPort: number): Setting<number> {
    const schema = wholeNumber("a port number from 0 to 65535", 0, 65_535);
    return setting(schema, "Port to listen on; 0 lets the system choose.", `${defaultPort}`);
  },

  /** Port of the program's metrics, on the same address. Absent: no metrics. */
  metricsPort(): Setting<number | undefined> {
    const schema = wholeNumber("a port number from 0 to 65535", 0, 65_535).optional();
    return setting(
      schema,
      "Port for /metrics, on the same address; without it, metrics are not served.",
    );
  },

  /** Which calls get a line in the log. */
  accessLog(): Setting<AccessLogMode> {
    const description =
      "Log a line for each call: off, sampled (failed, slow, and 1 in 100 of the others) or on.";
    const values = ["off", "sampled", "on"] as const;
    return rows.choice(description, { values, default: "sampled" });
  },

  /** An http or https address, kept exactly as given. */
  url: urlRow,

  /** Free text of at most 4096 bytes. */
  text: textRow,

  /** Free text that is never shown in a message. */
  secret: secretRow,

  /** A whole number. With `perCore`, the default is multiplied by the number of cores. */
  integer(
    description: string,
    {
      default: fallback,
      perCore = false,
      min,
      max,
    }: { default: number; perCore?: boolean; min: number; max: number },
  ): Setting<number> {
    const schema = wholeNumber(`a whole number from ${min} to ${max}`, min, max);
    if (!perCore) return setting(schema, description, `${fallback}`);
    const inAll = Math.floor(Math.max(min, Math.min(max, fallback * availableParallelism())));
    return {
      ...setting(schema, description, `${inAll}`),
      shownDefault:
        fallback < 1 ? `${fallback} for each core, at least ${min}` : `${fallback} for each core`,
    };
  },

  /** A duration in whole milliseconds. */
  milliseconds(
    description: string,
    { default: fallback, min = 0, max }: { default: number; min?: number; max: number },
  ): Setting<number> {
    const schema = wholeNumber(`a whole number of milliseconds from ${min} to ${max}`, min, max);
    return setting(schema, description, `${fallback}`);
  },

  /** How long `untilDrained` waits. */
  drain(): Setting<number> {
    return rows.milliseconds(
      "Time after SIGTERM in which the service is not ready but still serves.",
      { default: 5000, max: 600_000 },
    );
  },

  /** How long an idle connection stays open. */
  keepAliveTimeout(): Setting<number> {
    return rows.milliseconds(
      "Time that an idle connection stays open; set it longer than in the proxy in front.",
      { default: 75_000, min: 1000, max: 3_600_000 },
    );
  },

  /** How many connections `countConnections` allows. */
  addressConnectionsMax(): Setting<number> {
    return rows.integer(
      "Maximum number of connections of one IPv4 address, or one IPv6 network of 64 bits.",
      { default: 1000, min: 1, max: 1_000_000 },
    );
  },

  /** Whose connections are not limited. */
  trustedProxies(): Setting<readonly string[]> {
    return rows.networks(
      "Addresses, or networks such as 10.0.0.0/8, of proxies that may have any number of " +
        "connections, separated by spaces.",
    );
  },

  /** IP addresses and networks of them, separated by spaces. Default: none. */
  networks(description: string): Setting<readonly string[]> {
    const schema = textRow(description, { optional: true })
      .schema.transform((text) => text?.split(" ").filter((network) => network !== "") ?? [])
      .refine((networks) => networks.every((network) => parseNetwork(network) !== undefined), {
        error: "IP addresses or networks, separated by spaces",
      });
    return setting(schema, description);
  },

  /** One of a closed set of words. */
  choice<const T extends string>(
    description: string,
    { values, default: fallback }: { values: readonly [T, ...T[]]; default: T },
  ): Setting<T> {
    const schema = z.enum(values, { error: `one of ${values.join(", ")}` });
    return setting(schema as unknown as z.ZodType<T, string | undefined>, description, fallback);
  },

  /** The lowest severity that is logged. */
  logLevel(): Setting<(typeof logLevels)[number]> {
    const description = `Lowest severity that is logged: ${logLevels.join(", ")}.`;
    return rows.choice(description, { values: logLevels, default: "info" });
  },

  /** The address of PostgreSQL. Absent: the embedded one. */
  databaseUrl: databaseUrlRow,

  /** Folder of the embedded database, as an absolute path, and whether it is the default. */
  dataDir(): Setting<DataDir> {
    const schema = z
      .string()
      .refine(fitsText, { error: `a path of at most ${textBytesMax} bytes` })
      .optional()
      .transform((text) => ({
        path: resolve(text ?? dataDirDefault),
        isDefault: text === undefined,
      }));
    const description =
      "Folder of the embedded database and, by default, of the files with encryption keys.";
    return { ...setting(schema, description), shownDefault: dataDirDefault };
  },
};

interface Optional {
  readonly optional: true;
}

function urlRow(description: string, options: Optional): Setting<string | undefined>;
function urlRow(description: string, options?: { default?: string }): Setting<string>;
function urlRow(
  description: string,
  options: { optional?: true; default?: string } = {},
): Setting<string | undefined> {
  const need = "an http or https address without user name, query or fragment";
  const schema = required(need).refine(isPlainHttpUrl, { error: need });
  return setting(options.optional ? schema.optional() : schema, description, options.default);
}

function textRow(description: string, options: Optional): Setting<string | undefined>;
function textRow(
  description: string,
  options?: { default?: string; need?: string },
): Setting<string>;
function textRow(
  description: string,
  options: { optional?: true; default?: string; need?: string } = {},
): Setting<string | undefined> {
  const { need = `a text of at most ${textBytesMax} bytes` } = options;
  const schema = required(need).refine(fitsText, { error: need });
  return setting(options.optional ? schema.optional() : schema, description, options.default);
}

function secretRow(description: string, options: Optional): Setting<string | undefined>;
function secretRow(description: string): Setting<string>;
function secretRow(description: string, options?: Optional): Setting<string | undefined> {
  return { ...(options ? textRow(description, options) : textRow(description)), secret: true };
}

function required(need: string) {
  return z.string({ error: need });
}

function matching(pattern: RegExp, need: string) {
  return required(need).regex(pattern, { error: need });
}

function wholeNumber(need: string, min: number, max: number) {
  return matching(/^-?\d{1,16}$/, need)
    .transform(Number)
    .refine((value) => value >= min && value <= max, { error: need });
}

function fitsText(text: string): boolean {
  return Buffer.byteLength(text) <= textBytesMax && !text.includes("\0");
}

function isPlainHttpUrl(text: string): boolean {
  if (!fitsText(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  const isHttp = protocol === "http:" || protocol === "https:";
  return isHttp && username === "" && password === "" && !/[?#\s]/.test(text);
}
