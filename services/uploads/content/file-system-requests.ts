/** Keeps threads of this process free while the file system of a directory does not answer. */
import { ApiError } from "../model/api-error.ts";

/** Each request occupies a thread. Node has four of them, also for DNS: one stays free. */
const requestsMax = 3;
/** So the others do not all wait for one directory. */
const requestsOfDirectoryMax = 2;
/** When a file system seems to answer no more. */
const silentAfterMs = 5000;

interface FileSystemRequest {
  readonly directory: string;
  readonly begin: () => void;
  beganAtMs: number;
}

export class FileSystemRequests {
  readonly #nowMs: () => number;
  /** In the order in which they were made. */
  readonly #waiting = new Set<FileSystemRequest>();
  readonly #unanswered = new Set<FileSystemRequest>();

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /**
   * Makes a request as soon as others are answered, and settles as it does. That may take for ever:
   * await it with `untilAborted`.
   */
  async make<Answer>(directory: string, ask: () => Promise<Answer>): Promise<Answer> {
    const { promise: turn, resolve: begin } = Promise.withResolvers<void>();
    const request = { directory, begin, beganAtMs: 0 };
    this.#waiting.add(request);
    this.#beginWaiting();
    await turn;
    try {
      return await ask();
    } finally {
      this.#unanswered.delete(request);
      this.#beginWaiting();
    }
  }

  /** Throws `ApiError` CONTENT_UNAVAILABLE if a request would wait for silent file systems. */
  refuseIfSilent(directory: string): void {
    const latestMs = this.#nowMs() - silentAfterMs;
    const silent = [...this.#unanswered].filter(({ beganAtMs }) => beganAtMs <= latestMs);
    if (mayBegin(directory, silent)) return;
    const message = "the directory of the content does not answer; try again";
    throw new ApiError("CONTENT_UNAVAILABLE", message);
  }

  #beginWaiting(): void {
    for (const request of this.#waiting) {
      if (this.#unanswered.size >= requestsMax) return;
      if (!mayBegin(request.directory, [...this.#unanswered])) continue;
      this.#waiting.delete(request);
      request.beganAtMs = this.#nowMs();
      this.#unanswered.add(request);
      request.begin();
    }
  }
}

/** Of the process, as its threads are. */
export const fileSystemRequests = new FileSystemRequests();

function mayBegin(directory: string, others: readonly FileSystemRequest[]): boolean {
  const ofDirectory = others.filter((other) => other.directory === directory);
  return others.length < requestsMax && ofDirectory.length < requestsOfDirectoryMax;
}
