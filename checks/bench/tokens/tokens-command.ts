/** How fast access tokens are validated: ours, others', and the least that it can take. */
import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { type BenchmarkOptions, benchmarkCommand } from "../frame/benchmark-command.ts";
import { wholeNumber } from "../frame/figures.ts";
import { contestantsFor } from "./contestants.ts";
import { measureSetting } from "./measure-setting.ts";
import { proveContestant } from "./prove-contestant.ts";
import { goalsTable, type MeasuredSetting, settingTable } from "./report.ts";
import {
  issueBadTokens,
  issueToken,
  makeSigningKey,
  withoutOptionalClaims,
} from "./sample-tokens.ts";
import { manyTokens, oneToken } from "./workloads.ts";

export function tokensCommand(signal: AbortSignal): Command {
  return benchmarkCommand(
    {
      name: "tokens",
      summary: "validating access tokens: ours, other libraries, crypto.verify alone",
      secondsDefault: 80,
      signal,
    },
    measureTokens,
  ).addOption(
    new Option("--claims <which>", "whether tokens hold the optional claims too")
      .choices(["all", "usual"])
      .default("all"),
  );
}

interface TokensOptions extends BenchmarkOptions {
  readonly claims: "all" | "usual";
}

const tokensCount = 1000;
const widths = [1, 32];
const roundsMin = 3;

async function measureTokens(
  { seconds, claims }: TokensOptions,
  signal: AbortSignal,
): Promise<string> {
  const key = makeSigningKey();
  const changes = claims === "usual" ? { claims: withoutOptionalClaims } : {};
  const tokens = Array.from({ length: tokensCount }, () => issueToken(key, changes));
  const [token = ""] = tokens;
  const contestants = contestantsFor(key);
  const badTokens = issueBadTokens(key);
  for (const contestant of contestants) await proveContestant(contestant, token, badTokens);

  const workloads = [oneToken(token), manyTokens(tokens)];
  const settings = workloads.flatMap((workload) => widths.map((width) => ({ workload, width })));
  const options = { seconds: seconds / settings.length, roundsMin, signal };
  const measured: MeasuredSetting[] = [];
  for (const setting of settings) {
    const title = `${setting.workload.name}; ${nameOf(setting.width)}`;
    process.stderr.write(`bench: ${title}\n`);
    measured.push({ title, measured: await measureSetting(contestants, setting, options) });
  }
  return [
    `RS256 under a 2048-bit key; tokens of ${wholeNumber(token.length)} characters. ${versions()}.`,
    ...measured.map(settingTable),
    goalsTable(measured),
  ].join("\n\n");
}

function nameOf(width: number): string {
  return width === 1 ? "one at a time" : `${width} at once`;
}

/** Of the libraries that ours is compared with. */
function versions(): string {
  const file = new URL("../../package.json", import.meta.url);
  const { devDependencies } = JSON.parse(readFileSync(file, "utf8"));
  const names = ["jose", "fast-jwt", "aws-jwt-verify"];
  return names.map((name) => `${name} ${devDependencies[name]}`).join(", ");
}
