/** The uploads service of a checkout on a loaded database, with all that it takes to measure it. */
import { readFile } from "node:fs/promises";
import { startNode } from "@stowage/process/testing";
import pg from "pg";
import { audience, startIssuer } from "../testing/issuer.ts";
import { noSettings } from "../testing/programs.ts";
import { type DataSet, organisationId } from "./data-set.ts";
import { type LoadGenerator, startLoadGenerator } from "./load-generator.ts";
import { type OpenLoadedOptions, openLoaded, type Places } from "./loaded-database.ts";
import { wholeNumber } from "./tables.ts";

export interface Testbed extends AsyncDisposable {
  /** What is measured on, in Markdown. */
  readonly description: string;
  readonly databaseUrl: string;
  /** Of the connections of the services. */
  databaseProcessIds(): Promise<number[]>;
  readonly places: Places;
  readonly service: UploadsService;
  readonly load: LoadGenerator;
  /** A token of the next of many callers. */
  token(): string;
}

interface TestbedOptions extends OpenLoadedOptions {
  /** Settings of the service that differ from their defaults. */
  readonly environment: Readonly<Record<string, string>>;
}

/** As many as a busy service may hear from in a minute. */
const callerCount = 100;
const tokenSeconds = 24 * 3600;

export async function openTestbed(dataSet: DataSet, options: TestbedOptions): Promise<Testbed> {
  await using opening = new AsyncDisposableStack();
  const { databaseUrl, places } = opening.use(await openLoaded(dataSet, options));
  const issuer = await startIssuer();
  opening.defer(() => issuer.close());
  const exp = Math.floor(Date.now() / 1000) + tokenSeconds;
  const tokens = Array.from({ length: callerCount }, (_, caller) =>
    issuer.mint({ organisationId, clientId: `client-${caller}` }, { exp }),
  );
  let tokenCount = 0;
  const service = opening.use(
    await startUploadsService({ ...options, databaseUrl, authUrl: issuer.url }),
  );
  const client = new pg.Client(databaseUrl);
  opening.defer(() => client.end());
  await client.connect();
  const load = opening.use(startLoadGenerator());
  const opened = opening.move();
  return {
    description: describe(dataSet, places),
    databaseUrl,
    async databaseProcessIds() {
      const { rows } = await client.query<{ pid: number }>(
        "select pid from pg_stat_activity where application_name = 'stowage-uploads'",
      );
      return rows.map(({ pid }) => pid);
    },
    places,
    service,
    load,
    token: () => tokens[tokenCount++ % callerCount]!,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function describe(dataSet: DataSet, { uploads, folders, folder, subtree }: Places): string {
  const ofFolder = `\`${folder.path}\` (${wholeNumber(folder.uploads)})`;
  const ofSubtree = `\`${subtree.path}\` (${wholeNumber(subtree.uploads)})`;
  return (
    `Data: ${dataSet.description}: ${wholeNumber(uploads)} uploads in ${wholeNumber(folders)} ` +
    `folders. *Folder* is ${ofFolder}, *subtree* is ${ofSubtree}. ` +
    `Tokens of ${callerCount} callers take turns.`
  );
}

interface UploadsService extends AsyncDisposable {
  /** The process that answers calls: the worker. */
  readonly processId: number;
  readonly port: number;
}

interface ServiceOptions extends Pick<TestbedOptions, "checkout" | "environment"> {
  readonly databaseUrl: string;
  readonly authUrl: string;
}

/** The uploads service of a checkout, as a process, as it is deployed. */
async function startUploadsService(options: ServiceOptions): Promise<UploadsService> {
  const { checkout, databaseUrl: DATABASE_URL, authUrl: AUTH_URL, environment } = options;
  const settings = { HOST: "127.0.0.1", PORT: "0", DATABASE_URL, AUTH_URL, AUDIENCE: audience };
  const command = startNode(["clients/cli/main.ts", "serve", "uploads"], {
    cwd: checkout,
    env: { ...noSettings, ...settings, ...environment },
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
