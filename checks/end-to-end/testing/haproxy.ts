/** HAProxy before the uploads servers, with the configuration that docs/running.md contains. */
import assert from "node:assert/strict";
import { access, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { findPort, makeTemporaryFolder, startProcess, until } from "@stowage/process/testing";
import { root } from "../../testing/programs.ts";

/** The path of HAProxy's program; undefined if it is not installed. */
export async function findHaproxy(): Promise<string | undefined> {
  // Debian's folder for it is not in everyone's PATH.
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  for (const folder of folders) {
    const program = join(folder, "haproxy");
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}

export interface Haproxy {
  /** The address that callers use. */
  readonly url: string;
  /** Waits until HAProxy sends requests to all servers. */
  untilAllUp(): Promise<void>;
  close(): Promise<void>;
}

/** Starts HAProxy in front of two servers. Resolves when both get requests. */
export async function startHaproxy(
  program: string,
  serverPorts: readonly [number, number],
): Promise<Haproxy> {
  const [port, statisticsPort] = [await findPort(), await findPort()];
  const statistics = `
listen statistics
  bind 127.0.0.1:${statisticsPort}
  stats enable
  stats uri /
`;
  const folder = await makeTemporaryFolder();
  const file = join(folder.path, "haproxy.cfg");
  await writeFile(file, (await documentedConfiguration(port, serverPorts)) + statistics);
  const haproxy = startProcess(program, ["-db", "-f", file]);
  const close = async () => {
    haproxy.kill("SIGTERM");
    await haproxy.ended;
    await folder.remove();
  };
  const isUp = async () => {
    const answer = await fetch(`http://127.0.0.1:${statisticsPort}/;csv`).catch(() => undefined);
    const states = (await answer?.text())?.match(/^uploads,(one|two),.*$/gm) ?? [];
    return states.length === 2 && states.every((state) => /,UP,/.test(state));
  };
  const untilAllUp = () => until("both servers are up for HAProxy", isUp);
  try {
    await untilAllUp();
  } catch (error) {
    await close();
    throw new Error(`Cannot start HAProxy: ${haproxy.stderr()}`, { cause: error });
  }
  return { url: `http://127.0.0.1:${port}`, untilAllUp, close };
}

/** The configuration of docs/running.md, with addresses of this machine. */
async function documentedConfiguration(
  port: number,
  serverPorts: readonly [number, number],
): Promise<string> {
  const page = await readFile(join(root, "docs", "running.md"), "utf8");
  const [, documented = ""] = /^```haproxy\n(.*?)^```$/ms.exec(page) ?? [];
  const addresses: Record<string, string> = {
    "bind :80": `bind 127.0.0.1:${port}`,
    "server one 10.0.0.11:8080": `server one 127.0.0.1:${serverPorts[0]}`,
    "server two 10.0.0.12:8080": `server two 127.0.0.1:${serverPorts[1]}`,
  };
  let configuration = documented;
  for (const [theirs, ours] of Object.entries(addresses)) {
    assert.ok(configuration.includes(theirs), `docs/running.md has no line "${theirs}"`);
    configuration = configuration.replace(theirs, ours);
  }
  return configuration;
}
