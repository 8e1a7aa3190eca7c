/** For tests: `stowage` as a process, without a client or login of this machine. */
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";

const root = new URL("../../../", import.meta.url);

interface Result {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export function run(program: string, parameters: readonly string[]): Promise<Result> {
  // No client and no login that may be stored on this machine.
  const env = {
    ...process.env,
    DATA_DIR: `${tmpdir()}/stowage-no-data`,
    XDG_STATE_HOME: `${tmpdir()}/stowage-no-state`,
    npm_config_loglevel: "error",
  };
  return new Promise((resolve) => {
    const child = execFile(program, parameters, { cwd: root, env }, (_error, stdout, stderr) => {
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

export function stowage(...parameters: string[]): Promise<Result> {
  return run(process.execPath, ["clients/cli/main.ts", ...parameters]);
}

export function wordsOf(text: string): string[] {
  return text.split(" ").filter((word) => word !== "");
}
