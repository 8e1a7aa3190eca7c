/** How many tokens the authorisation service issues in a second, beside signing alone. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { startTestServer } from "@stowage/process/testing";
import { readProcessorMs } from "../../testing/process-usage.ts";
import { type Environment, startService, stowageOn } from "../../testing/programs.ts";
import { type LoadGenerator, rawRequest, startLoadGenerator } from "../load-generator.ts";
import { figuresTable, measureProbes, type Probe } from "../probes.ts";

const ratioMin = 0.5;
/** Enough that the service always has work: 64 are no faster, 16 are slower. */
const connections = 32;
/** For each grant: V8 optimises the code of the service during thousands of requests. */
const warmUpMs = 10_000;
const roundsMin = 2;

export async function measureIssuing(seconds: number, signal: AbortSignal): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const database = await startTestServer();
  stack.defer(() => database.stop());
  const environment = {
    CLIENT_REQUESTS_PER_MINUTE_MAX: "0",
    DATABASE_URL: database.databaseUrl,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ADDRESS_REQUESTS_PER_MINUTE_MAX: "0",
    PORT: "0",
  };
  const service = await startService("authorisation", environment);
  stack.defer(() => service.stop());
  const load = stack.use(startLoadGenerator());
  const port = Number(new URL(service.url).port);
  const requests = await requestsFor({ ...environment, AUTH_URL: service.url });
  const probes: Probe[] = [];
  for (const [grant, request] of Object.entries(requests)) {
    const ask = (milliseconds: number) => askForTokens(load, port, request, milliseconds);
    await ask(Math.min(warmUpMs, seconds * 1000));
    probes.push({
      figures: [
        { title: `${grant}: tokens, signatures alone`, unit: "calls/s", goal: { ratioMin } },
        { title: `${grant}: work of the service for a token`, unit: "µs CPU" },
      ],
      baseline: async () => [await opensslSpeed()],
      async subject(turnMs) {
        const ids = await service.workerIds();
        const beforeMs = await readProcessorMs(ids);
        const { count, perSecond } = await ask(turnMs);
        const spentMs = (await readProcessorMs(ids)) - beforeMs;
        return [perSecond, (spentMs * 1000) / count];
      },
    });
  }
  const measured = await measureProbes(probes, { seconds, roundsMin, signal });
  return figuresTable(measured, { baseline: "openssl speed", subject: "service" });
}

async function askForTokens(
  load: LoadGenerator,
  port: number,
  request: Buffer,
  milliseconds: number,
) {
  const command = { port, requests: [request], connections, milliseconds };
  const { latenciesMs, tookMs } = await load.run(command);
  return { count: latenciesMs.length, perSecond: (latenciesMs.length / tookMs) * 1000 };
}

/** Adds a client. Returns its request. */
async function requestsFor(environment: Environment): Promise<Record<string, Buffer>> {
  const run = stowageOn(environment.DATABASE_URL!);
  const add = async (what: string) => {
    const command = [what, "add", "--organisation", "acme", "--json"];
    return JSON.parse(await run(command, undefined, environment)) as Record<string, string>;
  };
  const { clientId, clientSecret } = await add("clients");
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  return {
    "client credentials": form({ grant_type: "client_credentials" }, { Authorization: basic }),
  };
}

function form(fields: Record<string, string>, headers = {}): Buffer {
  const type = { "Content-Type": "application/x-www-form-urlencoded" };
  return rawRequest("/token", new URLSearchParams(fields).toString(), { ...type, ...headers });
}

/** RSA-2048 signatures in a second, on one processor. */
async function opensslSpeed(): Promise<number> {
  const parameters = ["speed", "-mr", "-seconds", "1", "rsa2048"];
  const { stdout } = await promisify(execFile)("openssl", parameters);
  // "+F2:0:2048:<signatures per second>:<verifications per second>"
  const perSecond = Number(/^\+F2:\d+:2048:([\d.]+):/m.exec(stdout)?.[1]);
  if (!(perSecond > 0)) throw new Error(`Cannot read openssl speed: got ${stdout}`);
  return perSecond;
}
