/** Content through the page's server: how soon it begins, and what slow readers cost. */
import { once } from "node:events";
import { mkdir, open } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { withClient } from "@stowage/process/testing";
import { readMemory } from "../../testing/process-usage.ts";
import { organisationId } from "../data-set/data-set.ts";
import type { Probe } from "../measuring/probes.ts";
import type { PageContext } from "./page-probes.ts";

const fileBytes = 5 * 10 ** 9;
const rangeBytes = 64 * 1024;
const firstByteMsMax = 20;
const grownMebibytesMax = 32;
const slowReaders = 50;
/** Each reads a piece, and pauses, as behind a slow connection. */
const slowReadMs = 4000;
const pauseMs = 20;

export async function contentProbes(
  context: PageContext,
  databaseUrl: string,
  folder: string,
): Promise<readonly Probe[]> {
  const path = await mirrorLargeFile(context, databaseUrl, folder);
  const cookies = await context.visitor.context.cookies(context.programs.url);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const get = async (range: string): Promise<IncomingMessage> => {
    const headers = { cookie, "sec-fetch-site": "same-origin", range };
    const sent = request(`${context.programs.url}${path}`, { headers, agent: false }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    if (response.statusCode !== 206) throw new Error(`a range is answered ${response.statusCode}`);
    return response;
  };
  return [rangeRequests(get), slowDownloads(context, get)];
}

type Get = (range: string) => Promise<IncomingMessage>;

function rangeRequests(get: Get): Probe {
  return {
    figures: [
      {
        title: "first byte of a range in a file of 5 GB",
        unit: "ms",
        goal: { valueMax: firstByteMsMax },
      },
    ],
    async subject() {
      const from = Math.floor(Math.random() * (fileBytes - rangeBytes));
      const startMs = performance.now();
      const response = await get(`bytes=${from}-${from + rangeBytes - 1}`);
      await once(response, "readable");
      const tookMs = performance.now() - startMs;
      response.resume();
      await once(response, "end");
      return [tookMs];
    },
  };
}

function slowDownloads({ programs }: PageContext, get: Get): Probe {
  const goal = { valueMax: grownMebibytesMax };
  const services = [programs.uploads, programs.web];
  const memory = () =>
    Promise.all(
      services.map(async (service) => {
        const ids = await service.workerIds();
        const used = await Promise.all(ids.map(readMemory));
        return used.reduce((sum, { residentBytes }) => sum + residentBytes, 0) / 2 ** 20;
      }),
    );
  return {
    figures: [
      { title: "50 slow readers: growth of the uploads service", unit: "MiB", goal },
      { title: "50 slow readers: growth of the page's server", unit: "MiB", goal },
    ],
    async subject() {
      const before = await memory();
      const most = before.slice();
      const endMs = performance.now() + slowReadMs;
      const readers = Array.from({ length: slowReaders }, () => readSlowly(get, endMs));
      const watch = setInterval(async () => {
        const used = await memory();
        for (const [index, now] of used.entries()) most[index] = Math.max(most[index] ?? 0, now);
      }, 200);
      await Promise.all(readers).finally(() => clearInterval(watch));
      return most.map((now, index) => Math.max(0, now - (before[index] ?? 0)));
    },
  };
}

async function readSlowly(get: Get, endMs: number): Promise<void> {
  const response = await get("bytes=0-");
  response.pause();
  while (performance.now() < endMs) {
    response.read();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  response.destroy();
}

/** Returns the path at which the page's server has the content. */
async function mirrorLargeFile(
  { run }: PageContext,
  databaseUrl: string,
  folder: string,
): Promise<string> {
  const directory = join(folder, "files");
  await mkdir(directory);
  const file = await open(join(directory, "large.bin"), "w");
  // Sparse: it takes no space.
  await file.truncate(fileBytes);
  await file.close();
  const place = ["--bucket", "large.example.com", "--organisation", organisationId];
  await run(["sources", "add", "dir", directory, "--name", "large", ...place, "--sync"]);
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ path: string }>(
      `select '/content/' || bucket_id || '/' || upload_id as path
       from uploads.uploads where filename = 'large.bin'`,
    ),
  );
  const [found] = rows;
  if (found === undefined) throw new Error("Cannot measure content: the file was not mirrored");
  return found.path;
}
