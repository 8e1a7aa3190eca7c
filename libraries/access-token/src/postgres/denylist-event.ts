/** What a denylist tells of itself, for dashboards and alarms. */
export type DenylistEvent =
  | DenylistLoaded
  | DenylistRead
  | DenylistFailed
  | DenylistBehind
  | DenylistCurrent;

/** A new connection has read all entries. */
export interface DenylistLoaded {
  readonly type: "loaded";
  readonly entries: number;
  readonly durationMs: number;
}

/** What had come since the last time has been read: every second, usually nothing. */
export interface DenylistRead {
  readonly type: "read";
  readonly entries: number;
  readonly durationMs: number;
}

/** The connection was given up; another will be tried. The entries that are held stay in force. */
export interface DenylistFailed {
  readonly type: "failed";
  readonly error: Error;
}

/** The lag has grown over its limit. What follows from that is `whenBehind`. */
export interface DenylistBehind {
  readonly type: "behind";
  readonly lagMs: number;
}

/** The lag is within its limit: after the first load, or again. */
export interface DenylistCurrent {
  readonly type: "current";
  readonly lagMs: number;
}
