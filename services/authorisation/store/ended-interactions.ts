/**
 * Interactions that have ended: people come back to their pages by a double click, by *Back*, or by
 * reloading. They go on with the same request, which knows by then that they have signed in.
 */
import type pg from "pg";
import { recordIdHash } from "./provider-records.ts";

const keptSeconds = 600;

/** Ends an interaction. */
export async function endInteraction(pool: pg.Pool, uid: string): Promise<void> {
  await pool.query({
    name: "end-interaction",
    text: `
      update auth.provider_records set consumed_at = now(), address = null,
        expires_at = now() + interval '${keptSeconds} s'
      where model = 'Interaction' and id_hash = $1`,
    values: [recordIdHash(uid)],
  });
}

/**
 * Finds the parameters of the request of an interaction that has ended; undefined: there is none,
 * or it was for a device. A sign-in that the request asked for is not asked for again.
 */
export async function findEndedRequest(
  pool: pg.Pool,
  uid: string,
): Promise<URLSearchParams | undefined> {
  const { rows } = await pool.query<{ payload: EndedInteraction }>({
    name: "find-ended-interaction",
    text: `
      select payload from auth.provider_records
      where model = 'Interaction' and id_hash = $1 and consumed_at is not null
        and expires_at > now()`,
    values: [recordIdHash(uid)],
  });
  const [ended] = rows;
  if (ended === undefined || ended.payload.deviceCode !== undefined) return undefined;
  const { params, result } = ended.payload;
  const prompts = String(params.prompt ?? "").split(" ");
  const left = prompts.filter((prompt) => result?.[prompt] === undefined).join(" ");
  const all = Object.entries({ ...params, prompt: left || undefined });
  const given = all.flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => [name, String(each)]),
  );
  return new URLSearchParams(given);
}

interface EndedInteraction {
  params: Record<string, string | string[] | undefined>;
  deviceCode?: string;
  /** By prompt: what the person has done. */
  result?: Record<string, unknown>;
}
