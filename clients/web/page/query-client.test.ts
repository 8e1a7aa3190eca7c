import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CallError } from "../api/call-error.ts";
import { noteEndedSession, sessionKey } from "../session/session.ts";
import { createQueryClient } from "./query-client.ts";

const ada = { name: "Ada", loginName: null, email: null };
const ended = new CallError("unauthenticated", "The session has ended");
const away = new CallError("unavailable", "The service does not answer");

describe("the end of the session", () => {
  it("is noted when a query fails because of it", async () => {
    const client = createQueryClient();
    client.setQueryData(sessionKey, ada);
    const queryFn = () => Promise.reject(ended);
    await assert.rejects(client.fetchQuery({ queryKey: ["uploads"], queryFn }), ended);
    assert.equal(client.getQueryData(sessionKey), null);
    client.clear();
  });

  it("is noted for other calls, and for no other error", () => {
    const client = createQueryClient();
    client.setQueryData(sessionKey, ada);
    noteEndedSession(client, away);
    assert.equal(client.getQueryData(sessionKey), ada);
    noteEndedSession(client, ended);
    assert.equal(client.getQueryData(sessionKey), null);
    client.clear();
  });
});
