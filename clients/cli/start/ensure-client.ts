import { randomUUID } from "node:crypto";
import { readLocalClient } from "../access/local-client.ts";
import { ClientUnknownError, requestToken } from "../access/request-token.ts";
import { commonEnvironment } from "./environment.ts";
import type { ProgramGroup } from "./program-group.ts";

/** Who asks on behalf of whoever runs this. */
export interface OwnClient {
  readonly organisationId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The client of an earlier start, or a new one where there is none that the issuer knows. */
export async function ensureClient(
  programs: ProgramGroup,
  dataDir: string,
  authUrl: string,
): Promise<OwnClient> {
  const known = await readLocalClient(dataDir);
  if (known === undefined) return addClient(programs, randomUUID());
  try {
    await requestToken({ ...known, authUrl });
    return known;
  } catch (error) {
    // Another database than last time; the organisation stays, and so do its buckets.
    if (error instanceof ClientUnknownError) return addClient(programs, known.organisationId);
    throw error;
  }
}

async function addClient(programs: ProgramGroup, organisationId: string): Promise<OwnClient> {
  const { exitCode, stdout } = await programs.run(
    "clients",
    ["add", "--organisation", organisationId, "--name", "npm start", "--json"],
    commonEnvironment(process.env),
  );
  if (exitCode !== 0) throw new Error(`Cannot add a client: clients ended with ${exitCode}`);
  const { clientId, clientSecret } = JSON.parse(stdout) as OwnClient;
  return { organisationId, clientId, clientSecret };
}
