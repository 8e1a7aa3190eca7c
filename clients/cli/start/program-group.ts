/** The programs that one start runs. It stops all of them when it ends. */
import {
  type Program,
  type ProgramName,
  type StartOptions,
  startProgram,
} from "../programs/start-program.ts";

type Environment = NonNullable<StartOptions["environment"]>;

interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
}

export class ProgramGroup {
  /** Rejects when a service ends without being asked to. */
  readonly failed: Promise<never>;
  readonly #running = new Set<Program>();
  readonly #fail: (error: Error) => void;
  #isStopping = false;

  constructor() {
    const { promise, reject } = Promise.withResolvers<never>();
    this.failed = promise;
    this.#fail = reject;
    // Avoids an unhandled rejection while nothing awaits it.
    promise.catch(() => undefined);
  }

  /**
   * Starts a service and forwards its stdout, unless it is not wanted. Resolves to the address in
   * its ready line: that of its callers, if it names two.
   */
  async serve(
    name: ProgramName,
    environment: Environment,
    { isQuiet = false }: { readonly isQuiet?: boolean } = {},
  ): Promise<string> {
    const program = this.#start(name, [], environment);
    const ready = Promise.withResolvers<string>();
    const readyLine = new RegExp(`^${name}: listening on .*?(\\S+)\\n`, "m");
    let output = "";
    program.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      if (!isQuiet) process.stdout.write(text);
      output += text;
      const address = readyLine.exec(output)?.[1];
      if (address !== undefined) ready.resolve(address);
    });
    program.ended.then(
      (exitCode) => this.#serviceEnded(new Error(`${name} ended with exit code ${exitCode}`)),
      (error: Error) => this.#serviceEnded(error),
    );
    return Promise.race([ready.promise, this.failed]);
  }

  /** Runs a program to its end, with `input` as its stdin, and collects its stdout. */
  async run(
    name: ProgramName,
    parameters: readonly string[],
    environment: Environment,
    { input }: { readonly input?: string } = {},
  ): Promise<RunResult> {
    const program = this.#start(name, parameters, environment, input);
    let stdout = "";
    program.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    return { exitCode: await program.ended, stdout };
  }

  /** Passes a signal on to all running programs and waits until they have ended. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#isStopping = true;
    for (const { child } of this.#running) child.kill(signal);
    await Promise.allSettled([...this.#running].map(({ ended }) => ended));
  }

  #start(
    name: ProgramName,
    parameters: readonly string[],
    environment: Environment,
    input?: string,
  ): Program {
    if (this.#isStopping) throw new Error(`Cannot start ${name}: stopping`);
    const program = startProgram(name, parameters, {
      environment,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "inherit"],
    });
    // A program that ends before it has read its input says why on stderr.
    program.child.stdin?.on("error", () => undefined).end(input);
    this.#running.add(program);
    const forget = () => this.#running.delete(program);
    program.ended.then(forget, forget);
    return program;
  }

  #serviceEnded(error: Error): void {
    if (!this.#isStopping) this.#fail(new Error("Cannot go on", { cause: error }));
  }
}
