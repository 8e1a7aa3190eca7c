/** Access tokens: invalid ones of every kind are rejected before the body is read. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { audience } from "../testing/issuer.ts";
import { plainLines } from "./samples/plain.ts";
import { marker, refusedTokens } from "./samples/refused-tokens.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, listFolderTreePath, listUploadsPath, readError } from "./testing/json-caller.ts";
import {
  answerBeforeEnd,
  callWithTokens,
  pipelinedStatuses,
  rawCall,
} from "./testing/raw-calls.ts";

const subject = callers.reader;
const now = () => Math.floor(Date.now() / 1000);

describe("a token", () => {
  let deployment: Deployment;
  before(async () => {
    deployment = await deploy({ lines: plainLines, environment: { LOG_LEVEL: "debug" } });
  });
  after(() => deployment?.close());

  const call = (token: string | undefined, path = listUploadsPath) =>
    callJson(deployment.url, { path, ...(token === undefined ? {} : { token }) });

  for (const [what, [mint, reason]] of Object.entries(refusedTokens)) {
    it(`${what} is rejected`, async () => {
      const token = mint(deployment.issuer);
      for (const path of [listUploadsPath, listFolderTreePath]) {
        const answer = await call(token, path);
        const { error: refusal } = readError(answer);
        const expected = { status: 401, code: "unauthenticated", reason, fields: [] };
        assert.deepEqual(refusal, expected, answer.text);
        const challenge = answer.headers.get("www-authenticate") ?? "";
        assert.match(challenge, /^Bearer .*error="invalid_token"/);
        assert.ok(!`${answer.text}${challenge}`.includes(marker), answer.text);
        assert.ok(!`${answer.text}${challenge}`.includes(token));
      }
    });
  }

  it("that is missing causes a challenge without an error code", async () => {
    const answer = await call(undefined);
    const { status, code, reason } = readError(answer).error;
    assert.deepEqual([status, code, reason], [401, "unauthenticated", "TOKEN_MISSING"]);
    const challenge = answer.headers.get("www-authenticate") ?? "";
    assert.match(challenge, /^Bearer/);
    assert.doesNotMatch(challenge, /error=/);
  });

  for (const authorization of [
    `Basic ${marker}`,
    marker,
    "Bearer",
    "Bearer ",
    "Bearer a b",
    "Bearer a,b",
  ]) {
    it(`is not accepted as "${authorization}"`, async () => {
      const headers = { authorization };
      const { status, text } = await callJson(deployment.url, { headers });
      assert.ok([400, 401].includes(status), text);
      assert.ok(!text.includes(marker), text);
    });
  }

  it("may follow the scheme in any case", async () => {
    const headers = { authorization: `bearer ${deployment.issuer.mint(subject)}` };
    assert.equal((await callJson(deployment.url, { headers })).status, 200);
  });

  for (const scope of [
    "service_account",
    "upl:bucket:reader",
    "UPL:BUCKET:READ",
    "x\tupl:bucket:read",
  ]) {
    it(`with the scope "${scope}" may not read`, async () => {
      const answer = await call(deployment.issuer.mint(subject, { scope }));
      const { status, code, reason } = readError(answer).error;
      assert.deepEqual([status, code, reason], [403, "permission_denied", "SCOPE_MISSING"]);
      const challenge = answer.headers.get("www-authenticate") ?? "";
      assert.match(challenge, /^Bearer .*error="insufficient_scope"/);
      assert.ok(!challenge.includes("reader") && !challenge.includes("service_account"));
    });
  }

  for (const claims of [
    { scope: "upl:bucket:read" },
    { scope: "other upl:bucket:read another" },
    { aud: audience },
    { aud: ["other", audience] },
    { sub: "urn:svc:user:1", sid: "session", act: { sub: "urn:svc:user:2" } },
    { unknown: [{}] },
  ]) {
    it(`with ${JSON.stringify(claims)} may read`, async () => {
      assert.equal((await call(deployment.issuer.mint(subject, claims))).status, 200);
    });
  }

  for (const header of [
    { jku: "http://127.0.0.1:1/" },
    { jwk: {} },
    { x5u: marker },
    { b64: true },
  ]) {
    it(`with the header member ${Object.keys(header)} may read: it is ignored`, async () => {
      assert.equal((await call(deployment.issuer.mint(subject, {}, header))).status, 200);
    });
  }

  it("with critical header members is rejected", async () => {
    const answer = await call(deployment.issuer.mint(subject, {}, { crit: ["exp"] }));
    assert.equal(answer.status, 401);
  });

  it("is rejected if it is one of several", async () => {
    const right = deployment.issuer.mint(subject);
    const wrong = deployment.issuer.mint(subject, { exp: 1 });
    for (const tokens of [
      [right, wrong],
      [wrong, right],
      [right, right],
    ]) {
      const status = await callWithTokens(deployment.url, tokens);
      assert.ok([400, 401].includes(status ?? 0), `got ${status}`);
    }
  });

  it("that is rejected leaves the connection usable for the next call", async () => {
    const wrong = rawCall(deployment.issuer.mint(subject, { exp: 1 }), " ".repeat(60_000));
    const right = rawCall(deployment.issuer.mint(subject), "{}");
    assert.deepEqual(
      await pipelinedStatuses(deployment.url, [wrong, right, wrong, right]),
      [401, 200, 401, 200],
    );
  });

  it("is checked before the body is read", async () => {
    const token = deployment.issuer.mint(subject, { exp: now() - 1 });
    for (const length of ["10000000000", undefined]) {
      assert.equal(await answerBeforeEnd(deployment.url, token, length), 401);
    }
  });

  it("that is valid does not make the service wait for a body that is too large", async () => {
    const token = deployment.issuer.mint(subject);
    assert.equal(await answerBeforeEnd(deployment.url, token, undefined), 429);
  });

  it("is never written to the log", () => {
    const beginning = deployment.issuer.mint(subject).slice(0, 10);
    assert.ok(deployment.service.log().includes("TOKEN_EXPIRED"), "refusals are logged");
    assert.ok(!deployment.service.log().includes(beginning));
  });
});
