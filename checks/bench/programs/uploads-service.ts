/** The uploads service, as a process, as it is deployed. */
import { readFile } from "node:fs/promises";
import { startNode } from "@stowage/process/testing";
import { audience } from "../../testing/issuer.ts";
import { noSettings } from "../../testing/programs.ts";

export interface UploadsService extends AsyncDisposable {
  readonly processId: number;
  readonly port: number;
}

export interface UploadsServiceOptions {
  /** The checkout whose service runs. */
  readonly checkout: string;
  readonly databaseUrl: string;
  /** The issuer's address. */
  readonly authUrl: string;
  /** Settings that are not as they come. */
  readonly environment: Readonly<Record<string, string>>;
}

export async function startUploadsService(options: UploadsServiceOptions): Promise<UploadsService> {
  const { checkout, databaseUrl, authUrl, environment } = options;
  const settings = {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: databaseUrl,
    AUTH_URL: authUrl,
    AUDIENCE: audience,
  };
  const program = startNode(["clients/cli/main.ts", "serve", "uploads"], {
    cwd: checkout,
    env: { ...noSettings, ...settings, ...environment },
  });
  const line = await program.line(/^uploads: listening on /);
  return {
    processId: await onlyChildOf(program.processId),
    port: Number(new URL(line.slice(line.lastIndexOf(" ") + 1)).port),
    async [Symbol.asyncDispose]() {
      program.kill("SIGTERM");
      const { exitCode, stderr } = await program.ended;
      if (endsInOrder.has(exitCode)) return;
      throw new Error(`the uploads service ended with ${exitCode}: ${stderr}`);
    },
  };
}

/** After SIGTERM; or after Ctrl-C, which reaches it as well and makes that the second signal. */
const endsInOrder: ReadonlySet<number | null> = new Set([0, 128 + 2, 128 + 15]);

/** The command `stowage serve` runs the service in a process of its own. */
async function onlyChildOf(processId: number): Promise<number> {
  const children = await readFile(`/proc/${processId}/task/${processId}/children`, "utf8");
  return Number(children);
}
