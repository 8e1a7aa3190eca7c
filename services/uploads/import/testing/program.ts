/** For tests: the import program, run as its users run it. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../sources/commands/import/main.ts", import.meta.url));

interface ProgramOutcome {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

export function runProgram(
  parameters: readonly string[],
  options: { databaseUrl?: string; input?: string; environment?: Record<string, string> } = {},
): Promise<ProgramOutcome> {
  const { child, outcome } = startProgram(parameters, options);
  child.stdin.end(options.input ?? "");
  return outcome;
}

/** Starts the program with its standard input open. */
export function startProgram(
  parameters: readonly string[],
  options: { databaseUrl?: string; environment?: Record<string, string> },
) {
  const { databaseUrl, environment } = options;
  const child = spawn(process.execPath, [program, ...parameters], {
    env: {
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...environment,
    },
  });
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  const outcome = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(
    ([exitCode, output, errors]): ProgramOutcome => ({ exitCode, output, errors }),
  );
  return { child, outcome };
}
