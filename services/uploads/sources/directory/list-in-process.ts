/**
 * Lists directories in processes of their own. A file system, such as one over the network, may
 * never answer. A request to it cannot be cancelled, and keeps a thread: in this process, a few
 * would stop all other files and DNS, and keep the process from ending.
 */
import { type ChildProcess, fork } from "node:child_process";
import { on, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { untilAborted } from "@stowage/process";
import { formatDuration, formatTime } from "../../model/format.ts";
import { systemErrorText } from "../../model/system-error.ts";
import type { Key } from "../keys.ts";
import type { ListedPage, Lister } from "../lister.ts";
import type { DirectoryAnswer, DirectoryRequest, FoundInDirectory } from "./directory-process.ts";
import type { MountPoints } from "./mount-points.ts";
import type { DirectoryPlace } from "./open-directory.ts";
import type { SkippedEntries } from "./skipped-entries.ts";
import type { Changed } from "./watch-files.ts";

interface DirectoryLister extends Lister {
  /** Of the last listing, as far as it is. */
  readonly skipped: SkippedEntries;
  /** Of the last listing, when it is complete. */
  readonly mounts: MountPoints;
}

interface ProcessOptions {
  readonly answerTimeoutMs?: number;
}

/** A page takes milliseconds, or seconds if it begins with a directory of millions of entries. */
const answerTimeoutMsDefault = 300_000;

interface OpenedDirectory extends AsyncDisposable {
  /** The path of the directory without symbolic links. */
  readonly root: string;
  /** Lists once. */
  readonly lister: DirectoryLister;
}

/** Returns the path of the directory without symbolic links. Throws as `openInProcess` does. */
export async function findDirectory(place: DirectoryPlace, signal: AbortSignal): Promise<string> {
  await using opened = await openInProcess(place, signal);
  return opened.root;
}

/**
 * Starts the process of a directory, and waits until it has opened it.
 *
 * @throws Error if the directory cannot be reached, or must not be listed.
 */
export async function openInProcess(
  place: DirectoryPlace,
  signal: AbortSignal,
): Promise<OpenedDirectory> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(new DirectoryProcess(place.directory, {}));
  directory.send({ ...place, lists: false });
  const { root } = await directory.answer(signal);
  const lister = directoryLister(place, { start: () => directory });
  const started = stack.move();
  return { root, lister, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** Watches the directory until the signal aborts: see `watchFiles`. */
export async function* watchInProcess(
  place: DirectoryPlace,
  signal: AbortSignal,
): AsyncGenerator<Changed> {
  await using directory = new DirectoryProcess(place.directory, {});
  directory.send({ ...place, lists: false, watches: true });
  for (;;) {
    const { changed = [] } = await directory.answer(signal);
    directory.send("next");
    yield changed;
  }
}

/** Listing throws the errors of `openDirectory` and `directoryLister`, and those of the process. */
export function listInProcess(
  place: DirectoryPlace,
  options: ProcessOptions = {},
): DirectoryLister {
  return directoryLister(place, options);
}

function directoryLister(
  place: DirectoryPlace,
  options: ProcessOptions & { readonly start?: () => DirectoryProcess },
): DirectoryLister {
  const startAnew = () => new DirectoryProcess(place.directory, options);
  const { start = startAnew } = options;
  const mounts: MountPoints = { found: place.knownMounts ?? [], missing: [] };
  const skipped: SkippedEntries = { symbolicLinks: 0, specialFiles: 0, excluded: 0 };
  const ask = async (
    directory: DirectoryProcess,
    request: Pick<DirectoryRequest, "finds" | "reads">,
    signal: AbortSignal,
  ) => {
    directory.send({ ...place, lists: false, knownMounts: mounts.found, ...request });
    return await directory.answer(signal);
  };
  /** The process that has read keys is also asked which of them are gone: a start takes longer. */
  let reader: DirectoryProcess | undefined;
  return {
    skipped,
    mounts,
    // One range is enough: where a disk is slow, the walk looks at several files together.
    ranges: () => [{ after: undefined, until: undefined }],
    async *list(_, signal): AsyncGenerator<ListedPage> {
      await using directory = start();
      directory.send({ ...place, lists: true });
      for (let page = 1; page < pagesAhead; page++) directory.send("next");
      for (;;) {
        const found = await directory.answer(signal);
        Object.assign(skipped, found.skipped);
        Object.assign(mounts, found.mounts);
        if (found.page === undefined) return;
        directory.send("next");
        yield found.page;
      }
    },
    async find(keys, signal) {
      const finds = keys.map(sendable);
      if (reader !== undefined) return (await ask(reader, { finds }, signal)).presences ?? [];
      await using directory = startAnew();
      return (await ask(directory, { finds }, signal)).presences ?? [];
    },
    async read(keys, signal) {
      reader ??= startAnew();
      return (await ask(reader, { reads: keys.map(sendable) }, signal)).page ?? emptyPage;
    },
    close() {
      void reader?.[Symbol.asyncDispose]();
    },
  };
}

const emptyPage: ListedPage = { objects: [], leftOut: [] };

function sendable(key: Key): Key {
  return typeof key === "string" ? key : Uint8Array.from(key);
}

/** Pages that are asked for before they are needed. */
const pagesAhead = 4;

/** Since when processes wait for the file system of a directory, although they were killed. */
const unanswered = new Map<string, Date>();

const program = fileURLToPath(new URL("directory-process.ts", import.meta.url));
/** A process that does not wait for a file system ends at once. */
const endMaxMs = 5000;

class DirectoryProcess {
  readonly #directory: string;
  readonly #answerTimeoutMs: number;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<[DirectoryAnswer]>;
  readonly #ended: Promise<never>;
  #disposed: Promise<void> | undefined;

  constructor(directory: string, { answerTimeoutMs = answerTimeoutMsDefault }: ProcessOptions) {
    const since = unanswered.get(directory);
    if (since !== undefined) {
      throw new Error(
        `Cannot list ${directory}: its file system has not answered since ${formatTime(since)}`,
      );
    }
    this.#directory = directory;
    this.#answerTimeoutMs = answerTimeoutMs;
    // Ctrl-C is for the parent, which then ends its children. A child that cannot be ended must not
    // hold the output of the parent open.
    this.#child = fork(program, [String(process.pid)], {
      serialization: "advanced",
      execArgv: [],
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#answers = on(this.#child, "message") as AsyncIterator<[DirectoryAnswer]>;
    this.#ended = once(this.#child, "exit").then(
      ([code, signalName]) => {
        const how = signalName ?? `exit code ${code}`;
        throw new Error(`Cannot list ${directory}: the process that lists it has ended (${how})`);
      },
      (error) => {
        throw new Error(`Cannot list ${directory}: ${systemErrorText(error)}`);
      },
    );
    this.#ended.catch(() => undefined);
  }

  /** Asks for an answer. */
  send(message: DirectoryRequest | "next"): void {
    // If the process has not started or has ended, `answer` throws.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Returns the next answer; throws if it is a failure. */
  async answer(signal: AbortSignal): Promise<FoundInDirectory> {
    // Without free file handles, there is no process.
    if (this.#child.pid === undefined) await this.#ended;
    const answered = this.#answers.next().then(({ value: [answer] }) => answer);
    answered.catch(() => undefined);
    const answer = await this.#inTime(Promise.race([answered, this.#ended]), signal);
    if ("root" in answer) return answer;
    throw new Error(answer.failure);
  }

  async #inTime<Result>(answer: Promise<Result>, signal: AbortSignal): Promise<Result> {
    const timeout = new AbortController();
    const timer = setTimeout(() => {
      const time = formatDuration(this.#answerTimeoutMs);
      const text = `Cannot list ${this.#directory}: its file system did not answer for ${time}`;
      timeout.abort(new Error(text));
    }, this.#answerTimeoutMs);
    try {
      return await untilAborted(answer, AbortSignal.any([signal, timeout.signal]));
    } finally {
      clearTimeout(timer);
    }
  }

  /** May be called twice: by the listing, and by who opened the directory. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#disposed ??= this.#dispose();
    return this.#disposed;
  }

  async #dispose(): Promise<void> {
    const ended = this.#ended.catch(() => undefined);
    this.#child.kill("SIGKILL");
    if (await Promise.race([ended.then(() => true), sleep(endMaxMs, false, { ref: false })]))
      return;
    unanswered.set(this.#directory, new Date());
    void ended.then(() => unanswered.delete(this.#directory));
    this.#child.unref();
    this.#child.disconnect();
  }
}
