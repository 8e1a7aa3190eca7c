/** The storage of sessions, by the names that oidc-provider gives to what it asks of a storage. */
import { addressLimitKey } from "@stowage/process";
import type { Adapter } from "oidc-provider";
import type pg from "pg";
import type { SessionPayload } from "../model/session.ts";
import { currentContext } from "../overrides/library.ts";
import { endSessionOfPerson } from "../sign-in/end-session.ts";
import { endSession } from "../store/end-sessions.ts";
import { findSurplusSessions } from "../store/list-sessions.ts";
import { storeSession } from "../store/sessions.ts";
import { recordRequest } from "./record-events.ts";

/** How sessions are stored and ended. They are found like other records. */
export function sessionStorage(pool: pg.Pool): Pick<Adapter, "upsert" | "destroy"> {
  return {
    async upsert(id, { jti: _, ...payload }, expiresInSeconds) {
      // The library begins a session for each cookie whose session has ended.
      if (payload.accountId === undefined && payload.state === undefined) return;
      const address = addressLimitKey(currentContext()?.ip ?? "");
      const session = { id, payload: payload as SessionPayload, expiresInSeconds, address };
      if (await storeSession(pool, session)) await endSurplusSessions(pool, session.payload);
    },
    async destroy(id) {
      const subject = await endSession(pool, id);
      // Anybody can begin and end sessions in which nobody is signed in.
      if (subject !== undefined) await recordRequest(pool, { kind: "session_ended", subject });
    },
  };
}

/** Ends the sessions of a person beyond the limit, as when the person ends them. */
async function endSurplusSessions(
  pool: pg.Pool,
  { accountId: subject, uid }: SessionPayload,
): Promise<void> {
  if (subject === undefined || uid === undefined) return;
  for (const sessionUid of await findSurplusSessions(pool, subject, uid)) {
    await endSessionOfPerson(pool, { sessionUid, subject }, (event) => recordRequest(pool, event));
  }
}
