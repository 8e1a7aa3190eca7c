/** `npm run check`: everything that must pass before a change is accepted. */
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { type ProgramContext, runProgram } from "@stowage/process";

interface Step {
  /** What the step checks. */
  readonly title: string;
  readonly command: readonly [program: string, ...options: string[]];
  /** What to do if it fails, unless its output says so. */
  readonly advice?: string;
}

/** They take a few seconds in all. Every step runs, even if another one failed. */
const quickSteps: readonly Step[] = [
  {
    title: "format and lint",
    command: ["biome", "ci", "--colors=off", "--max-diagnostics=100", "."],
    advice: "`npm run format` corrects the format and the simple findings",
  },
  { title: "types", command: ["tsc"] },
  { title: "types of the page", command: ["tsc", "-p", "clients/web"] },
  // The tests open the page that is built, not that of an earlier build.
  { title: "page: build", command: ["vite", "build", "--logLevel=warn", "clients/web"] },
  { title: "contract: lint", command: ["buf", "lint"] },
  {
    title: "contract: format",
    command: ["buf", "format", "--diff", "--exit-code"],
    advice: "`npm run format` corrects it",
  },
  {
    title: "contract: no breaking change",
    command: ["buf", "breaking", "--against", "api/released/contract.txtpb"],
    advice: "within v1, changes only add fields; see api/README.md",
  },
  { title: "dead code and dependencies", command: ["knip"] },
  { title: "links in Markdown", command: ["remark", "--frail", "--quiet", "."] },
  {
    title: "tidy: house rules and generated files",
    command: ["node", "--test", "--test-reporter=dot", "checks/tidy/*.test.ts"],
  },
];

const tests: Step = { title: "tests", command: ["node", "checks/run-tests.ts"] };

async function runChecks({ signal }: ProgramContext): Promise<void> {
  const failed: Step[] = [];
  for (const step of quickSteps) {
    const { passed, output } = await run(step, "show when it fails", signal);
    say(`${passed ? "ok  " : "FAIL"} ${step.title}\n`);
    if (passed) continue;
    failed.push(step);
    say(`${output.trimEnd()}\n\n`);
  }
  if (failed.length === 0) {
    const { passed } = await run(tests, "show", signal);
    if (!passed) failed.push(tests);
  } else {
    say("The tests were not run.\n");
  }
  if (failed.length === 0) return say("\nAll checks passed.\n");
  const lines = failed.map(({ title, advice }) => `\n  ${title}${advice ? `: ${advice}` : ""}`);
  throw new Error(`Some checks failed:${lines.join("")}`);
}

const root = dirname(import.meta.dirname);

async function run(
  { command: [program, ...options] }: Step,
  show: "show" | "show when it fails",
  signal: AbortSignal,
): Promise<{ passed: boolean; output: string }> {
  const programs = join(root, "node_modules", ".bin");
  const child = spawn(program, options, {
    cwd: root,
    // Programs that package.json pins, `node` too, have precedence over those of the machine.
    env: { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` },
    stdio: ["ignore", ...(show === "show" ? (["inherit", "inherit"] as const) : [])],
    signal,
  });
  const pieces: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (piece: Buffer) => pieces.push(piece));
  }
  const passed = await new Promise<boolean>((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve(code === 0));
  });
  return { passed, output: Buffer.concat(pieces).toString() };
}

function say(text: string): void {
  process.stdout.write(text);
}

await runProgram("check", runChecks);
