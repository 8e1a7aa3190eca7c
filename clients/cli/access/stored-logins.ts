/**
 * The logins that `stowage login` has stored: for each issuer and service address a file that only
 * this user can read. They are in the state folder of the XDG Base Directory Specification: people
 * share and back up their configuration, but not this.
 */
import { createHash } from "node:crypto";
import { readdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { withFileLock } from "./file-lock.ts";
import { writeSecretFile } from "./secret-file.ts";

export interface StoredLogin {
  /** The issuer, exactly. */
  readonly authUrl: string;
  /** The service that its tokens are sent to, and no other. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly subject: string;
  readonly name: string;
  readonly loginName: string;
  /** Unix time in milliseconds. */
  readonly signedInAtMs: number;
  readonly refreshToken: string;
  readonly accessToken: string;
  /** Unix time in milliseconds. */
  readonly accessTokenExpiresAtMs: number;
}

type LoginKey = Pick<StoredLogin, "authUrl" | "baseUrl">;

const suffix = ".json";

/** Reads all logins, the newest first. Throws if a file is damaged. */
export async function listLogins(): Promise<StoredLogin[]> {
  const files = (await readdir(folder()).catch(emptyIfMissing)).filter((each) =>
    each.endsWith(suffix),
  );
  const logins = await Promise.all(files.map((file) => readFrom(join(folder(), file))));
  return logins
    .filter((login) => login !== undefined)
    .sort((one, other) => other.signedInAtMs - one.signedInAtMs);
}

/** Reads a login again; undefined if it was removed. */
export async function readLogin(key: LoginKey): Promise<StoredLogin | undefined> {
  return await readFrom(fileOf(key));
}

export async function writeLogin(login: StoredLogin): Promise<void> {
  await writeSecretFile(fileOf(login), `${JSON.stringify(login, null, 2)}\n`, 0o700);
}

export async function removeLogin(key: LoginKey): Promise<void> {
  await rm(fileOf(key), { force: true });
}

/** Runs `work` while no other command changes this login. */
export async function withLoginLocked<Result>(
  key: LoginKey,
  work: () => Promise<Result>,
): Promise<Result> {
  return await withFileLock(`${fileOf(key).slice(0, -suffix.length)}.lock`, work);
}

function folder(): string {
  const { XDG_STATE_HOME: state = "" } = process.env;
  // The specification ignores relative paths.
  const base = isAbsolute(state) ? state : join(homedir(), ".local", "state");
  return join(base, "stowage", "logins");
}

/** People can tell the files by the host of the service. */
function fileOf({ authUrl, baseUrl }: LoginKey): string {
  const digest = createHash("sha256").update(`${authUrl} ${baseUrl}`).digest("hex");
  const host = new URL(baseUrl).hostname.replace(/[^\w.-]/g, "");
  return join(folder(), `${host}-${digest.slice(0, 16)}${suffix}`);
}

async function readFrom(file: string): Promise<StoredLogin | undefined> {
  try {
    return checkLogin(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(`Cannot read ${file}; remove it, and sign in again with stowage login`, {
      cause,
    });
  }
}

const texts = ["authUrl", "baseUrl", "clientId", "subject", "name", "loginName"] as const;
const secrets = ["refreshToken", "accessToken"] as const;
const numbers = ["signedInAtMs", "accessTokenExpiresAtMs"] as const;

function checkLogin(json: unknown): StoredLogin {
  const login = Object(json) as Record<string, unknown>;
  const check = (member: string, type: "string" | "number") => {
    if (typeof login[member] !== type) {
      throw new Error(`got ${typeof login[member]} as ${member}, need a ${type}`);
    }
  };
  for (const member of [...texts, ...secrets]) check(member, "string");
  for (const member of numbers) check(member, "number");
  return login as unknown as StoredLogin;
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code === "ENOENT") return [];
  throw error;
}
