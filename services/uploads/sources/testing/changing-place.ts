/** For tests: places that sources mirror, with files that change at random. */
import { randomInt } from "node:crypto";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeTemporaryFolder, startCeph } from "@stowage/process/testing";
import { createBucket } from "./store-content.ts";

export interface ChangingPlace {
  /** The arguments and options of `sources add` that name the place. */
  readonly address: readonly string[];
  /** Environment variables with which programs can reach the place. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes `count` changes: writes files, and removes some of them. */
  change(count: number): Promise<void>;
  /** `PATH SIZE` of each file. */
  files(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

const folders = 40;

/** @param filesMax files that it has at the most. */
export async function startDirectory(filesMax: number): Promise<ChangingPlace> {
  const folder = await makeTemporaryFolder();
  for (let number = 0; number < folders; number++) await mkdir(join(folder.path, `${number}`));
  return {
    address: ["dir", folder.path],
    environment: {},
    async change(count) {
      for (const { key, content } of randomChanges(count, filesMax)) {
        const file = join(folder.path, key);
        if (content === undefined) await rm(file, { force: true });
        else await writeFile(file, content);
      }
    },
    async files() {
      const entries = await readdir(folder.path, { recursive: true, withFileTypes: true });
      const lines = entries
        .filter((entry) => entry.isFile())
        .map(async ({ name, parentPath }) => {
          const { size } = await stat(join(parentPath, name));
          return `${parentPath.slice(folder.path.length)}/${name} ${size}`;
        });
      return await Promise.all(lines);
    },
    remove: () => folder.remove(),
  };
}

/** A bucket of a real S3 store. */
export async function startBucket(filesMax: number): Promise<ChangingPlace> {
  const server = await startCeph();
  const bucket = await createBucket(server, "content");
  return {
    address: ["s3", "s3://content", "--endpoint", server.endpoint, "--path-style"],
    environment: server.environment,
    async change(count) {
      // Only the last change of each key, so that the order does not matter.
      const changes = new Map(
        randomChanges(count, filesMax).map(({ key, content }) => [key, content]),
      );
      await bucket.changeAll(changes);
    },
    async files() {
      return Array.from(await bucket.sizes(), ([key, size]) => `/${key} ${size}`);
    },
    remove: () => server.stop(),
  };
}

/** A file to write; without content, one to remove. */
interface Change {
  readonly key: string;
  readonly content: string | undefined;
}

function randomChanges(count: number, filesMax: number): Change[] {
  return Array.from({ length: count }, () => {
    const number = randomInt(filesMax);
    const content = randomInt(4) === 0 ? undefined : "x".repeat(randomInt(100));
    return { key: `${number % folders}/file ${number}`, content };
  });
}
