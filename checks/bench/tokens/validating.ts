/** How fast access tokens are validated: by ours and other libraries, beside the least possible. */
import { makeSigningKey } from "../../testing/issuer.ts";
import { type Figure, figuresTable, measureProbes, type Probe } from "../probes.ts";
import { wholeNumber } from "../tables.ts";
import { measureCalls, requireValidation } from "./calls.ts";
import { issueBadTokens, issueToken } from "./sample-tokens.ts";
import { type Subject, subjectsFor, type Workload } from "./subjects.ts";

const tokensCount = 1000;
const widths = [1, 32];
const roundsMin = 3;

export async function measureValidating(seconds: number, signal: AbortSignal): Promise<string> {
  const key = makeSigningKey();
  const tokens = Array.from({ length: tokensCount }, () => issueToken(key));
  const [token = ""] = tokens;
  const subjects = subjectsFor(key);
  const badTokens = issueBadTokens(key);
  for (const subject of Object.values(subjects)) await requireValidation(subject, token, badTokens);

  const probes: Probe[] = [];
  for (const workload of workloadsOf(tokens)) {
    for (const width of widths) probes.push(...(await probesOf(subjects, workload, width)));
  }
  const measured = await measureProbes(probes, { seconds, roundsMin, signal });
  const about = `RS256 under a 2048-bit key; tokens of ${wholeNumber(token.length)} characters.`;
  return `${about}\n\n${figuresTable(measured, { baseline: "baseline", subject: "subject" })}`;
}

function workloadsOf(tokens: readonly string[]): readonly Workload[] {
  const [token = ""] = tokens;
  const received = tokens.map((text) => Buffer.from(text, "latin1"));
  return [
    // The fastest case: V8 has kept the hash of the string.
    { name: "same string", tokens: [token], take: () => token },
    {
      // What a server sees: bytes that become a new string every time.
      name: "new strings",
      tokens,
      take: (index) => received[index % received.length]!.toString("latin1"),
    },
  ];
}

type Subjects = ReturnType<typeof subjectsFor>;

function probesOf(subjects: Subjects, workload: Workload, width: number): Promise<Probe[]> {
  const { verify, ours, oursCached, jose, fastJwt, fastJwtCached, awsJwtVerify } = subjects;
  const compare = async (subject: Subject, baseline: Subject, ...goals: Figure["goal"][]) => {
    const [call, baselineCall] = [
      await subject.prepare(workload),
      await baseline.prepare(workload),
    ];
    const title = `${workload.name}, ${width} at once: ${subject.name} / ${baseline.name}`;
    const [rateGoal, workGoal] = goals;
    const probe: Probe = {
      figures: [
        { title, unit: "calls/s", ...(rateGoal && { goal: rateGoal }) },
        ...(workGoal ? [{ title, unit: "µs CPU", goal: workGoal } as const] : []),
      ],
      baseline: (turnMs) => measureCalls(baselineCall, width, turnMs),
      subject: (turnMs) => measureCalls(call, width, turnMs),
    };
    return probe;
  };
  return Promise.all([
    compare(ours, verify, { ratioMin: 0.8 }),
    compare(ours, jose, { ratioMin: 1.5 }, { ratioMax: 1 / 1.5 }),
    compare(oursCached, jose, { ratioMin: 15 }),
    compare(oursCached, fastJwtCached, { ratioMin: 1 }),
    ...[jose, fastJwt, awsJwtVerify].map((subject) => compare(subject, verify)),
  ]);
}
