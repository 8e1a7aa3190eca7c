import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./testing/logging-program.ts", import.meta.url));

/** Starts the program with a stderr that nobody reads yet. */
async function start(lines: number): Promise<{ child: ChildProcess; url: string }> {
  const env = { ...process.env, LINES: `${lines}`, LOG_LEVEL: "info" };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
  process.once("exit", () => child.kill("SIGKILL"));
  const [output] = await once(child.stdout, "data");
  return { child, url: `http://127.0.0.1:${/^ready (\d+)/.exec(`${output}`)?.[1]}` };
}

async function ended(child: ChildProcess): Promise<number | null> {
  const [exitCode] = await once(child, "exit");
  return exitCode;
}

describe("a program whose stderr nobody reads", () => {
  it("still answers, and ends", async () => {
    const { child, url } = await start(20_000);
    for (let request = 0; request < 3; request++) {
      const response = await fetch(url, { signal: AbortSignal.timeout(10_000) });
      assert.equal(await response.text(), "20000");
    }
    child.kill("SIGTERM");
    assert.equal(await ended(child), 0);
  });

  it("still ends when it crashes", async () => {
    const { child, url } = await start(20_000);
    const exitCode = ended(child);
    await fetch(`${url}/throw`, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
    assert.equal(await exitCode, 1);
  });

  it("reports the lines that it dropped when stderr is read again", async () => {
    const { child, url } = await start(20_000);
    await (await fetch(url)).text();
    const read = new StderrReader(child);
    await read.until(/were dropped/);
    const written = read.lines();
    const { count } = written.find(({ msg }) => msg.includes("were dropped")) ?? {};
    const kept = written.filter(({ msg }) => msg === "a line");
    assert.equal(kept.length + Number(count), 20_000);
    assert.deepEqual(
      kept.map(({ index }) => index),
      Array.from(kept, (_, index) => index),
    );
    child.kill("SIGTERM");
    assert.equal(await ended(child), 0);
  });
});

describe("a program whose stderr is read", () => {
  it("loses no line at its end", async () => {
    const { child, url } = await start(3000);
    const read = new StderrReader(child);
    await (await fetch(url)).text();
    child.kill("SIGTERM");
    await once(child, "close");
    assert.equal(read.lines().length, 3001);
    assert.equal(read.lines().at(-1)?.msg, "the last line");
  });

  it("loses no line when it crashes, and reports the error last", async () => {
    const { child, url } = await start(3000);
    const read = new StderrReader(child);
    const closed = once(child, "close");
    await fetch(`${url}/throw`).catch(() => undefined);
    await closed;
    assert.equal(read.text.match(/a line/g)?.length, 3000);
    assert.match(read.text, /\ntry: no more\n$/);
  });
});

interface Line {
  readonly msg: string;
  readonly index?: number;
  readonly count?: number;
}

class StderrReader {
  text = "";
  #onText = () => {};

  constructor({ stderr }: ChildProcess) {
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.text += text;
      this.#onText();
    });
  }

  lines(): readonly Line[] {
    const lines = this.text.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  async until(pattern: RegExp): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onText = () => {
      if (pattern.test(this.text)) resolve();
    };
    this.#onText();
    await promise;
  }
}
