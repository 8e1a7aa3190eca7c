/** What a start does, step by step, once it is known that it can. */

import { writeLocalClient } from "../access/local-client.ts";
import { requestToken } from "../access/request-token.ts";
import type { ChosenDirectory } from "./choose-directory.ts";
import { ensureClient } from "./ensure-client.ts";
import { authorisationEnvironment, uploadsEnvironment } from "./environment.ts";
import { fillIndex } from "./fill-index.ts";
import type { ProgramGroup } from "./program-group.ts";
import { welcomeText } from "./welcome-text.ts";

/** Does not return: what it started runs on until it is stopped. */
export async function runEverything(options: {
  programs: ProgramGroup;
  directory: ChosenDirectory;
  dataDir: string;
}): Promise<never> {
  const { programs, directory, dataDir } = options;
  const { env } = process;
  // The first to come makes the database; the issuer's address is known when it listens.
  const authUrl = await programs.serve("authorisation", authorisationEnvironment(env));
  const [listeningUrl, client] = await Promise.all([
    programs.serve("uploads", uploadsEnvironment(env, authUrl)),
    ensureClient(programs, dataDir, authUrl),
  ]);
  const baseUrl = (env.BASE_URL || listeningUrl).replace(/\/$/, "");
  await writeLocalClient(dataDir, { ...client, baseUrl, authUrl });

  await fillIndex(programs, directory, client.organisationId);

  const token = await requestToken({ ...client, authUrl });
  process.stdout.write(welcomeText({ baseUrl, token, now: new Date() }));
  return await programs.failed;
}
