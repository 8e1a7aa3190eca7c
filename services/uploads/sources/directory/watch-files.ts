/** Watches a directory and all under it, with one watch of the system for each directory. */
import { type FSWatcher, lstatSync, watch } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Key, keyOfBytes } from "../keys.ts";
import { identityOf } from "./list-directory.ts";
import { findMountPoints } from "./mount-points.ts";

/**
 * Paths below the root that may have changed; "everything" if they are too many, or unknown. Of a
 * directory that came, also with `/` at its end: what was under another one there may be gone.
 */
export type Changed = readonly Key[] | "everything";

interface WatchOptions {
  readonly root: string;
  /** Absolute paths that are left out, with all under them. */
  readonly excluded: ReadonlySet<string>;
}

/** With more at once, a whole run is no slower. */
const eventsMax = 10_000;
/** How often changes are yielded. */
const tellMs = 100;
/**
 * How often mounts are compared with those at the start: there are no events of them. Each look
 * yields, even without changes, which shows that the file system answers.
 */
const lookMs = 30_000;

/**
 * Begins with "everything", when all is watched, and again when changes were lost. Yields nothing
 * or paths otherwise. Events only say where to look: they may be doubled, and name what is gone or
 * what no listing has.
 *
 * @throws Error if a directory cannot be watched that can be read, or the root is gone.
 */
export async function* watchFiles(options: WatchOptions): AsyncGenerator<Changed> {
  for (;;) {
    using tree = new WatchedTree(options, await queuedMax());
    yield* watchTree(tree, options.root);
  }
}

/** Returns when all must be watched anew. */
async function* watchTree(tree: WatchedTree, root: string): AsyncGenerator<Changed> {
  const place = await placeOf(root);
  await tree.begin();
  yield "everything";
  for (let lookedMs = performance.now(); ; ) {
    await sleep(tellMs);
    const changed = await tree.take();
    if (changed === "everything") return;
    const looks = performance.now() - lookedMs >= lookMs;
    if (looks) lookedMs = performance.now();
    if (looks && (await placeOf(root)) !== place) return;
    if (looks || changed.length > 0) yield changed;
  }
}

async function placeOf(root: string): Promise<string> {
  return [await identityOf(root), ...(await findMountPoints(root, [])).found].join("\0");
}

/**
 * Node does not tell when the queue of the system was full and events are lost. But it reads all
 * that the queue holds at once: with fewer events, it was not full.
 */
async function queuedMax(): Promise<number> {
  const text = await readFile("/proc/sys/fs/inotify/max_queued_events", "utf8").catch(() => "");
  return Number.parseInt(text, 10) || eventsMax;
}

/** Paths are below the root, with each byte as a character: names may be no valid text. */
class WatchedTree implements Disposable {
  readonly #options: WatchOptions;
  readonly #eventsMax: number;
  readonly #watchers = new Map<string, FSWatcher>();
  #events = 0;
  /** The paths of events, and whether something has come or gone there. */
  #paths = new Map<string, boolean>();
  #failure: Error | undefined;

  constructor(options: WatchOptions, queuedMax: number) {
    this.#options = options;
    // Half, since events of directories that are no longer watched are not counted.
    this.#eventsMax = Math.min(eventsMax, queuedMax / 2);
  }

  async begin(): Promise<void> {
    await this.#watch("", () => undefined);
  }

  /** What has changed since the last call. Directories that came are watched, and listed. */
  async take(): Promise<Changed> {
    const [paths, events] = [this.#paths, this.#events];
    [this.#paths, this.#events] = [new Map(), 0];
    if (this.#failure !== undefined) throw this.#failure;
    if (events >= this.#eventsMax) return "everything";
    const changed = new Set(paths.keys());
    this.#unwatch(new Set([...paths].filter(([, hasCome]) => hasCome).map(([path]) => path)));
    for (const [path, hasCome] of paths) {
      const isNew = await this.#watch(path, (found) => changed.add(found));
      if (isNew && hasCome) changed.add(`${path}/`);
    }
    if (changed.size >= eventsMax) return "everything";
    return Array.from(changed, (path) => keyOfBytes(Buffer.from(path, "latin1")));
  }

  [Symbol.dispose](): void {
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  /**
   * Watches the path if a directory is there, and all under it. Its watch begins before it is read,
   * so that nothing is missed. Returns whether it was not watched before.
   */
  async #watch(folder: string, onFound: (path: string) => void): Promise<boolean> {
    const { root, excluded } = this.#options;
    const start = folder === "" ? "" : `${folder}/`;
    const location = Buffer.from(`${Buffer.from(root).toString("latin1")}/${folder}`, "latin1");
    if (this.#watchers.has(folder) || excluded.has(location.toString())) return false;
    const folders: string[] = [];
    try {
      // A link would be followed. If it comes in between, its events are of no use, nor harm.
      if (!lstatSync(location).isDirectory()) return false;
      const watcher = watch(location, { encoding: "buffer" }, (kind, name) =>
        this.#onEvent(start + (name?.toString("latin1") ?? ""), kind === "rename"),
      );
      watcher.on("error", (error) => {
        this.#failure = error;
      });
      this.#watchers.set(folder, watcher);
      for (const entry of await readdir(location, { withFileTypes: true, encoding: "buffer" })) {
        const path = start + entry.name.toString("latin1");
        onFound(path);
        if (entry.isDirectory()) folders.push(path);
      }
    } catch (error) {
      rethrowUnlessPassedOver(error);
      return false;
    }
    for (const path of folders) await this.#watch(path, onFound);
    return true;
  }

  /** Ends the watches of these directories and of all under them: they may be elsewhere now. */
  #unwatch(folders: ReadonlySet<string>): void {
    const isUnder = (path: string): boolean =>
      path !== "" &&
      (folders.has(path) || isUnder(path.slice(0, Math.max(0, path.lastIndexOf("/")))));
    for (const [folder, watcher] of folders.size === 0 ? [] : this.#watchers) {
      if (!isUnder(folder)) continue;
      watcher.close();
      this.#watchers.delete(folder);
    }
  }

  #onEvent(path: string, hasCome: boolean): void {
    this.#events += 1;
    if (this.#events >= this.#eventsMax) return;
    this.#paths.set(path, hasCome || this.#paths.get(path) === true);
  }
}

const limits: Readonly<Record<string, string>> = {
  ENOSPC: "fs.inotify.max_user_watches",
  EMFILE: "fs.inotify.max_user_instances",
};

/** What is gone, its parent tells. What may not be read, the listing leaves out too. */
function rethrowUnlessPassedOver(error: unknown): void {
  const { code = "", syscall } = error as NodeJS.ErrnoException;
  if (["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"].includes(code)) return;
  const limit = syscall === "watch" ? limits[code] : undefined;
  if (limit === undefined) throw error;
  throw new Error(`the system allows no more watches: raise ${limit}, or do without --watch`);
}
