/** What a worker tells its primary. */
export interface WorkerMessage {
  /** It serves from now on; with what it reports of that. */
  readonly ready: string;
}

/** The only thing that a primary tells its workers: to end in order. */
export const stopMessage = "stop";
