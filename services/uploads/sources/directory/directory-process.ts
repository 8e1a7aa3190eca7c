/**
 * The program of the process that lists one directory: see `list-in-process.ts`. For each message
 * it sends a page, and prepares the next one meanwhile. It runs until it is killed, or its parent
 * has ended.
 *
 *     node directory-process.ts PROCESS_ID_OF_PARENT
 */
import { on } from "node:events";
import { flushCompileCache } from "node:module";
import { Worker } from "node:worker_threads";
import { systemErrorText } from "../../model/system-error.ts";
import type { Key } from "../keys.ts";
import type { ListedPage, Presence } from "../lister.ts";
import { findFiles, readFiles } from "./find-files.ts";
import { directoryLister } from "./list-directory.ts";
import { findMountPoints, leftOutAt, type MountPoints } from "./mount-points.ts";
import { type DirectoryPlace, openDirectory } from "./open-directory.ts";
import type { SkippedEntries } from "./skipped-entries.ts";
import { type Changed, watchFiles } from "./watch-files.ts";

/**
 * The first message to the process. It may ask only to open the directory: the second message then
 * asks to list it.
 */
export interface DirectoryRequest extends DirectoryPlace {
  readonly lists: boolean;
  /** Files to look for in place of a listing. */
  readonly finds?: readonly Key[];
  /** Files and directories to read in place of a listing. */
  readonly reads?: readonly Key[];
  /** Whether it is watched, until the process ends, in place of a listing. */
  readonly watches?: boolean;
}

export type DirectoryAnswer = FoundInDirectory | DirectoryFailure;

export interface FoundInDirectory {
  /** The path of the directory without symbolic links. */
  readonly root: string;
  /** Undefined at the end. */
  readonly page?: ListedPage;
  /** By the listing so far. */
  readonly skipped?: SkippedEntries;
  readonly mounts?: MountPoints;
  /** Of the keys that were to be found. */
  readonly presences?: readonly Presence[];
  /** Since the last answer, if the directory is watched. */
  readonly changed?: Changed;
}

interface DirectoryFailure {
  readonly failure: string;
}

const { signal } = new AbortController();
const messages = on(process, "message");

async function nextMessage(): Promise<unknown> {
  const { value: [message] = [] } = await messages.next();
  return message;
}

async function run(request: DirectoryRequest): Promise<void> {
  let asked: Promise<unknown> = Promise.resolve();
  const answer = async (content: DirectoryAnswer) => {
    await asked;
    asked = nextMessage();
    process.send?.(content);
  };
  try {
    const opened = await openDirectory(request);
    const { root } = opened;
    if (request.watches) {
      for await (const changed of watchFiles(opened)) await answer({ root, changed });
    }
    if (request.finds ?? request.reads) {
      await answer(await readKeys(request, opened));
      return await run((await asked) as DirectoryRequest);
    }
    if (!request.lists) {
      await answer({ root });
      // Anew: a folder that it leaves out may have been made since.
      return await run((await asked) as DirectoryRequest);
    }
    const mounts = await findMountPoints(root, request.knownMounts ?? []);
    const leftOut = mounts.missing.map((point) => leftOutAt(point, root));
    if (leftOut.length > 0) await answer({ root, mounts, page: { objects: [], leftOut } });
    const { list, skipped } = directoryLister(opened);
    for await (const page of list(signal)) await answer({ root, page, skipped });
    await answer({ root, skipped, mounts });
  } catch (error) {
    const act = request.watches ? "watch" : "list";
    await answer({ failure: `Cannot ${act} ${request.directory}: ${systemErrorText(error)}` });
  }
}

/** Whether there are files at some keys, and what is at some. */
async function readKeys(
  { finds = [], reads = [], knownMounts = [] }: DirectoryRequest,
  opened: Awaited<ReturnType<typeof openDirectory>>,
): Promise<FoundInDirectory> {
  const presences = await findFiles(finds, opened);
  const objects = await readFiles(reads, opened);
  // If a file system is no longer mounted, what is under it seems to be absent.
  const { missing } = await findMountPoints(opened.root, knownMounts);
  if (missing.length > 0) throw new Error(`nothing is mounted at ${missing[0]} any more`);
  return { root: opened.root, presences, page: { objects, leftOut: [] } };
}

// Otherwise kept only at an exit: to compile its modules anew would double the time of its start.
flushCompileCache();
void nextMessage().then((request) => run(request as DirectoryRequest));
endWithParent();

/**
 * Kills this process when its parent has ended. A thread of its own looks, because all others may
 * wait for the file system. An exit would wait for them.
 */
function endWithParent(): void {
  const parent = Number(process.argv[2]);
  const look = `process.ppid === ${parent} || process.kill(process.pid, "SIGKILL")`;
  new Worker(`setInterval(() => ${look}, 500)`, { eval: true });
}
