/** How many tokens the authorisation service issues in a second, beside signing alone. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { startTestServer } from "@stowage/process/testing";
import type { Command } from "commander";
import { readProcessorMs } from "../../testing/process-usage.ts";
import { type Environment, start, startService } from "../../testing/programs.ts";
import { percentileOf } from "../measuring/statistics.ts";
import { benchmarkCommand } from "../report/benchmark-command.ts";
import { markdownTable, threeDigits } from "../report/tables.ts";
import { tokenRequest, tokensPerSecond } from "./token-load.ts";

export function issuingCommand(signal: AbortSignal): Command {
  return benchmarkCommand(
    {
      name: "issuing",
      summary: "tokens of the authorisation service, beside openssl speed of signing",
      secondsDefault: 30,
      signal,
    },
    ({ seconds }) => measureIssuing(seconds, signal),
  );
}

const ratioMin = 0.5;
const turnMs = 2000;
/** For each grant: V8 optimises the code of the service during thousands of requests. */
const warmUpMs = 10_000;
const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

async function measureIssuing(seconds: number, signal: AbortSignal): Promise<string> {
  const database = await startTestServer();
  const environment = {
    DATABASE_URL: database.databaseUrl,
    KEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ADDRESS_REQUESTS_PER_MINUTE_MAX: "0",
    PORT: "0",
  };
  const service = await startService("authorisation", environment);
  try {
    const requests = await requestsFor({ ...environment, AUTH_URL: service.url });
    const rounds = roundsOf(requests);
    const signatures: number[] = [];
    const port = Number(new URL(service.url).port);
    for (const { request } of rounds) await tokensPerSecond(port, request, warmUpMs);
    for (let spent = 0; spent < seconds * 1000 && !signal.aborted; spent += turnMs * 3) {
      const signaturesPerSecond = await opensslSpeed();
      for (const round of rounds) {
        const ids = await service.workerIds();
        const before = await readProcessorMs(ids);
        const rate = await tokensPerSecond(port, round.request, turnMs);
        const processorMs = (await readProcessorMs(ids)) - before;
        round.ratios.push(rate / signaturesPerSecond);
        round.rates.push(rate);
        round.processorUs.push((processorMs * 1000) / (rate * (turnMs / 1000)));
      }
      signatures.push(signaturesPerSecond);
    }
    return tableOf(rounds, signatures);
  } finally {
    await service.stop();
    await database.stop();
  }
}

interface Round {
  readonly grant: string;
  readonly request: Buffer;
  readonly rates: number[];
  readonly ratios: number[];
  readonly processorUs: number[];
}

function roundsOf(requests: Readonly<Record<string, Buffer>>): Round[] {
  return Object.entries(requests).map(([grant, request]) => {
    return { grant, request, rates: [], ratios: [], processorUs: [] };
  });
}

/** Adds a client and a service account. Returns a request of each. */
async function requestsFor(environment: Environment): Promise<Record<string, Buffer>> {
  const add = async (what: string) => {
    const command = [`services/authorisation/commands/${what}.ts`, "add", "--organisation", "acme"];
    const { stdout, stderr } = await start([...command, "--json"], environment).ended;
    if (stdout === "") throw new Error(`Cannot add to ${what}: ${stderr}`);
    return JSON.parse(stdout) as Record<string, string>;
  };
  const { clientId, clientSecret } = await add("clients");
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`;
  const { assertion = "" } = await add("service-accounts");
  return {
    "client credentials": tokenRequest({ grant_type: "client_credentials" }, basic),
    "jwt-bearer": tokenRequest({ grant_type: bearer, assertion }),
  };
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

function tableOf(rounds: readonly Round[], signatures: readonly number[]): string {
  const titles = ["grant", "tokens/s", "µs CPU of the service", `of signing alone (≥ ${ratioMin})`];
  const rows = rounds.map(({ grant, rates, ratios, processorUs }) => {
    const ratio = percentileOf(ratios, 50);
    return [
      grant,
      threeDigits(percentileOf(rates, 50)),
      threeDigits(percentileOf(processorUs, 50)),
      `${threeDigits(ratio)} ${ratio >= ratioMin ? "pass" : "MISS"}`,
    ];
  });
  const alone = threeDigits(percentileOf(signatures, 50));
  const goals = `**Goals**\n\n${markdownTable(titles, rows)}`;
  return `${goals}\n\n\`openssl speed rsa2048\`: ${alone} signatures/s.\n`;
}
