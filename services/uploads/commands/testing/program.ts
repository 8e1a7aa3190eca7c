/** For tests: the import program and others, run as their users run them. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const importProgram = fileURLToPath(new URL("../import.ts", import.meta.url));

interface ProgramOutcome {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

interface ProgramOptions {
  /** The file of the program. Default: that of the import. */
  readonly program?: string;
  readonly databaseUrl?: string;
  readonly environment?: Record<string, string>;
}

export function runProgram(
  parameters: readonly string[],
  options: ProgramOptions & { input?: string } = {},
): Promise<ProgramOutcome> {
  const { child, outcome } = startProgram(parameters, options);
  child.stdin.end(options.input ?? "");
  return outcome;
}

/** Starts the program with its standard input open. */
export function startProgram(
  parameters: readonly string[],
  { program = importProgram, databaseUrl, environment }: ProgramOptions,
) {
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
