/** The steps of `npm start`, after its checks. */
import { writeLocalClient } from "../access/local-client.ts";
import { requestToken } from "../access/request-token.ts";
import { ensureDemoAccount, makeSignInLink } from "./demo-account.ts";
import { ensureClients, movePage } from "./ensure-clients.ts";
import {
  authorisationEnvironment,
  expectedPageUrl,
  isPageLocalOnly,
  syncEnvironment,
  uploadsEnvironment,
  webEnvironment,
} from "./environment.ts";
import { type ChosenDirectory, fillIndex } from "./fill-index.ts";
import type { ProgramGroup } from "./program-group.ts";
import { welcomeText } from "./welcome-text.ts";

/** Never resolves: the services run until they are stopped. */
export async function runEverything(options: {
  programs: ProgramGroup;
  directory: ChosenDirectory;
  dataDir: string;
}): Promise<never> {
  const { programs, directory, dataDir } = options;
  const { env } = process;
  // The first service makes the database. The issuer's address is known when it listens.
  const authUrl = await programs.serve("authorisation", authorisationEnvironment(env));
  const [listeningUrl, clients] = await Promise.all([
    programs.serve("uploads", uploadsEnvironment(env, authUrl)),
    ensureClients(programs, { dataDir, authUrl, pageUrl: expectedPageUrl(env) }),
  ]);
  const { own, page } = clients;
  const { organisationId } = own;
  const baseUrl = (env.BASE_URL || listeningUrl).replace(/\/$/, "");
  const neighbours = { ...page, authUrl, baseUrl: listeningUrl };
  const [pageUrl, account] = await Promise.all([
    programs.serve("web", webEnvironment(env, neighbours)),
    ensureDemoAccount(programs, organisationId),
  ]);
  await movePage(programs, page, pageUrl);
  await writeLocalClient(dataDir, { ...own, baseUrl, pageUrl, authUrl });

  await fillIndex(programs, directory, organisationId);

  // Last, since neither is valid for long.
  const [token, link] = await Promise.all([
    requestToken({ ...own, authUrl }),
    account.isDisabled ? undefined : makeSignInLink(programs, account, { authUrl, pageUrl }),
  ]);
  const neededSettings = ["DATA_DIR", "DATABASE_URL"].filter((name) => env[name]);
  const { loginName } = account;
  const welcome = { link, loginName, pageUrl, baseUrl, token, organisationId, neededSettings };
  const isLocalOnly = isPageLocalOnly(env);
  process.stdout.write(welcomeText({ ...welcome, isLocalOnly, now: new Date() }));
  await programs.serve("sync", syncEnvironment(env), { isQuiet: true });
  return await programs.failed;
}
