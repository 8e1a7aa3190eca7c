/** A deployment of the uploads service: a database, an issuer and imported records. */
import assert from "node:assert/strict";
import {
  createTestDatabase,
  type EndedProcess,
  type PreparedContent,
} from "@stowage/process/testing";
import { audience, type Issuer, startIssuer } from "../../testing/issuer.ts";
import { type Service, start, startService } from "../../testing/programs.ts";
import type { Line } from "../model/records.ts";

export interface Deployment {
  readonly url: string;
  readonly databaseUrl: string;
  readonly issuer: Issuer;
  readonly service: Service;
  /** Imports more records. */
  load(lines: readonly Line[]): Promise<void>;
  close(): Promise<void>;
}

interface DeploymentOptions {
  /** Imported before the service starts. */
  lines: readonly Line[];
  environment?: Record<string, string>;
  /** More settings, which depend on the database. */
  environmentFor?: (databaseUrl: string) => Promise<Record<string, string>>;
}

export async function deploy(options: DeploymentOptions): Promise<Deployment> {
  const database = await createTestDatabase(importOf(options.lines));
  const issuer = await startIssuer();
  const load = (lines: readonly Line[]) => importLines(databaseUrl, lines);
  const { databaseUrl } = database;
  const closeAround = async () => {
    await issuer.close();
    await database.drop();
  };
  try {
    const service = await startService("uploads", {
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: databaseUrl,
      AUTH_URL: issuer.url,
      AUDIENCE: audience,
      LOG_LEVEL: "info",
      ...options.environment,
      ...(await options.environmentFor?.(databaseUrl)),
    });
    const close = async () => {
      try {
        await service.stop();
      } finally {
        await closeAround();
      }
    };
    return { url: service.url, databaseUrl, issuer, service, load, close };
  } catch (error) {
    await closeAround();
    throw error;
  }
}

/** Several deployments begin with the same lines: these are imported once for each server. */
function importOf(lines: readonly Line[]): PreparedContent {
  return {
    key: `deployment ${JSON.stringify(lines)}`,
    fill: (databaseUrl) => importLines(databaseUrl, lines),
  };
}

/** Imports lines with the import command: all of them or none. */
async function importLines(databaseUrl: string, lines: readonly Line[]): Promise<void> {
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const { exitCode, stdout, stderr } = await runImport(databaseUrl, input);
  assert.equal(exitCode, 0, `import failed: ${stdout}${stderr}`);
}

/** Runs an import of NDJSON to its end, successful or not. */
export function runImport(databaseUrl: string, input: string): Promise<EndedProcess> {
  const command = ["services/uploads/commands/import.ts", "ndjson", "-"];
  return start(command, { DATABASE_URL: databaseUrl, LOG_LEVEL: "info" }, input).ended;
}
