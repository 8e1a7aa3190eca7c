/**
 * No deletion without proof: the place itself is asked for each upload that its listing lacks. What
 * exists, or has no answer, leaves `gone_uploads`.
 */
import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";
import { externalPathOf, keyOfPath } from "../keys.ts";
import type { Presence } from "../lister.ts";
import type { OpenedSource } from "../open-source.ts";
import type { Source } from "../source.ts";
import type { Gone } from "./seen.ts";

/** What asking showed. */
export interface Proof {
  /** How many uploads exist although the listing lacks them, and the key of one. */
  readonly present: number;
  readonly presentExample: string | undefined;
  /** Those without an answer. */
  readonly unknown: number;
  /** Those that could only be listed again. They are still in `gone_uploads`. */
  readonly unlisted: number;
}

interface ProveOptions {
  readonly gone: Gone;
  readonly opened: OpenedSource;
  readonly signal: AbortSignal;
  /** Called with how many uploads were asked for. */
  readonly onAsked: (uploads: number) => void;
}

const askedAtOnce = 2000;

export async function proveGone(
  client: pg.ClientBase,
  source: Source,
  { gone, opened, signal, onAsked }: ProveOptions,
): Promise<Proof> {
  const counts = { present: 0, unknown: 0, unlisted: 0 };
  let presentExample: string | undefined;
  for (let after = 0; after < gone.uploads; after += askedAtOnce) {
    signal.throwIfAborted();
    onAsked(after);
    const { rows } = await query<GoneUpload>(client, selectGone, {
      ...{ bucketNumber: source.bucketNumber, after, until: after + askedAtOnce },
    });
    const keys = rows.map((row) => keyOfPath(row, opened.mount));
    const found = await opened.lister.find(keys, signal);
    const numbersOf = (...wanted: readonly Presence[]) =>
      rows
        .filter((_, index) => wanted.includes(found[index] ?? "unknown"))
        .map((row) => row.number);
    for (const presence of found) if (presence !== "absent") counts[presence] += 1;
    const example = keys[found.indexOf("present")];
    if (example !== undefined) presentExample ??= externalPathOf(example);
    await query(client, keepUploads, { numbers: numbersOf("present", "unknown") });
    await query(client, markUnproved, { numbers: numbersOf("unlisted") });
  }
  return { ...counts, presentExample };
}

/** Leaves only what is proved to be gone. */
export async function keepUnproved(client: pg.ClientBase): Promise<void> {
  await client.query("delete from gone_uploads where not is_proved");
}

interface GoneUpload {
  readonly number: string;
  readonly path: string;
  readonly filename: string;
}

const selectGone = `
  select g.number, u.path, u.filename from gone_uploads g
  join uploads.uploads u on u.bucket_number = :bucketNumber and u.upload_id = g.upload_id
  where g.number > :after and g.number <= :until order by g.number`;

const keepUploads = "delete from gone_uploads where number = any (:numbers::bigint[])";
const markUnproved =
  "update gone_uploads set is_proved = false where number = any (:numbers::bigint[])";
