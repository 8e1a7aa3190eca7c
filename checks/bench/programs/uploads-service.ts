/** The uploads service of a checkout, as a process, as it is deployed. */
import { readFile } from "node:fs/promises";
import { startNode } from "@stowage/process/testing";
import { audience } from "../../testing/issuer.ts";
import { noSettings } from "../../testing/programs.ts";

export interface UploadsService extends AsyncDisposable {
  /** The process that answers calls: the worker. */
  readonly processId: number;
  readonly port: number;
}

interface UploadsServiceOptions {
  readonly checkout: string;
  readonly databaseUrl: string;
  /** The issuer's address. */
  readonly authUrl: string;
  /** Settings that differ from their defaults. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startUploadsService(options: UploadsServiceOptions): Promise<UploadsService> {
  const settings = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: options.databaseUrl,
    AUTH_URL: options.authUrl,
    AUDIENCE: audience,
  };
  const command = startNode(["clients/cli/main.ts", "serve", "uploads"], {
    cwd: options.checkout,
    env: { ...noSettings, ...settings, ...options.environment },
  });
  const line = await command.line(/^uploads: listening on /);
  return {
    processId: await lastDescendantOf(command.processId),
    port: Number(new URL(line.slice(line.lastIndexOf(" ") + 1)).port),
    async [Symbol.asyncDispose]() {
      command.kill("SIGTERM");
      const { exitCode, stderr } = await command.ended;
      if (normalExitCodes.has(exitCode)) return;
      throw new Error(`the uploads service ended with ${exitCode}: ${stderr}`);
    },
  };
}

/** After SIGTERM, or after Ctrl-C, which reaches the command as well. */
const normalExitCodes: ReadonlySet<number | null> = new Set([0, 128 + 2, 128 + 15]);

/** The command runs the service, whose primary runs the worker: each has one child. */
async function lastDescendantOf(processId: number): Promise<number> {
  const child = Number(await readFile(`/proc/${processId}/task/${processId}/children`, "utf8"));
  return child === 0 ? processId : await lastDescendantOf(child);
}
