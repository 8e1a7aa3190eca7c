/** The uploads service on a loaded database, with all that it takes to measure it. */
import { startIssuer } from "../../testing/issuer.ts";
import { type DataSet, organisationId } from "../data-set/data-set.ts";
import type { Places } from "../database/find-places.ts";
import { type OpenLoadedOptions, openLoaded } from "../database/loaded-database.ts";
import { wholeNumber } from "../frame/figures.ts";
import type { AnyLoadOrder, LoadReport } from "../load/load-orders.ts";
import { ForkedProgram } from "../programs/forked-program.ts";
import { startUploadsService, type UploadsService } from "../programs/uploads-service.ts";

export type LoadGenerator = ForkedProgram<AnyLoadOrder, LoadReport>;

export interface Stage extends AsyncDisposable {
  /** What is measured on, in Markdown. */
  readonly description: string;
  readonly databaseUrl: string;
  readonly places: Places;
  readonly service: UploadsService;
  readonly load: LoadGenerator;
  /** A token of one of many callers: of the next one with every call. */
  token(): string;
  /** Another service on the same database; whoever starts it ends it. */
  startService(environment: Readonly<Record<string, string>>): Promise<UploadsService>;
}

export interface StageOptions extends OpenLoadedOptions {
  /** Settings of every service that are not as they come. */
  readonly environment: Readonly<Record<string, string>>;
}

/** As many as a busy service may hear from in a minute. */
const callerCount = 100;
const tokenSeconds = 24 * 3600;

export async function openStage(dataSet: DataSet, options: StageOptions): Promise<Stage> {
  await using opening = new AsyncDisposableStack();
  const { databaseUrl, places } = opening.use(await openLoaded(dataSet, options));
  const issuer = await startIssuer();
  opening.defer(() => issuer.close());
  const exp = Math.floor(Date.now() / 1000) + tokenSeconds;
  const tokens = Array.from({ length: callerCount }, (_, caller) =>
    issuer.mint({ organisationId, clientId: `client-${caller}` }, { exp }),
  );
  let tokensGiven = 0;

  const startService: Stage["startService"] = (environment) =>
    startUploadsService({
      checkout: options.checkout,
      databaseUrl,
      authUrl: issuer.url,
      environment: { ...options.environment, ...environment },
    });
  const service = opening.use(await startService({}));
  const load = opening.use(startLoadGenerator());
  const opened = opening.move();
  return {
    description: describe(dataSet, places),
    databaseUrl,
    places,
    service,
    load,
    token: () => tokens[tokensGiven++ % callerCount]!,
    startService,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function startLoadGenerator(): LoadGenerator {
  return new ForkedProgram(new URL("../load/load-program.ts", import.meta.url));
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
