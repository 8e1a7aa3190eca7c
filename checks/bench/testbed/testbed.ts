/** The uploads service of a checkout on a loaded database, with all that it takes to measure it. */
import pg from "pg";
import { startIssuer } from "../../testing/issuer.ts";
import { type DataSet, organisationId } from "../data-set/data-set.ts";
import type { Places } from "../database/find-places.ts";
import { type OpenLoadedOptions, openLoaded } from "../database/loaded-database.ts";
import { type LoadGenerator, startLoadGenerator } from "../load/load-generator.ts";
import { startUploadsService, type UploadsService } from "../programs/uploads-service.ts";
import { wholeNumber } from "../report/tables.ts";

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
  /** Tokens of other callers: of an organisation, by the name of a client. */
  tokenOf(organisationId: string, clientId: string): string;
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
  const tokenOf = (organisation: string, clientId: string) =>
    issuer.mint({ organisationId: organisation, clientId }, { exp });
  const tokens = Array.from({ length: callerCount }, (_, caller) =>
    tokenOf(organisationId, `client-${caller}`),
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
    tokenOf,
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
