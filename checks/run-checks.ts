/** What `npm run check` runs: everything that must hold before a change is taken. */
import { spawn } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { type ProgramContext, runProgram } from "@stowage/process";

interface Step {
  /** What must hold. */
  readonly title: string;
  readonly command: readonly [program: string, ...options: string[]];
  /** What to do when it does not, where the output does not say so. */
  readonly advice?: string;
}

/** A few seconds in all; each runs, whatever the others found. */
const quickSteps: readonly Step[] = [
  {
    title: "format and lint",
    command: ["biome", "ci", "--colors=off", "--max-diagnostics=100", "."],
    advice: "`npm run format` mends what can be mended without thinking",
  },
  { title: "types", command: ["tsc"] },
  { title: "contract: form and comments", command: ["buf", "lint"] },
  {
    title: "contract: layout",
    command: ["buf", "format", "--diff", "--exit-code"],
    advice: "`npm run format` mends it",
  },
  {
    title: "contract: nothing taken away",
    command: ["buf", "breaking", "--against", "api/released/contract.txtpb"],
    advice: "within v1 fields are only added; see api/README.md",
  },
  {
    title: "tidy: house rules, generated files current",
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
  throw new Error(`Cannot call this a pass: failed were${lines.join("")}`);
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
    // The programs that package.json pins, `node` among them, come before those of the machine.
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
