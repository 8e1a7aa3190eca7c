import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Account } from "../store/accounts.ts";
import {
  type ActingClient,
  addActingClient,
  addPerson,
  runCodeFlow,
} from "../testing/code-flow.ts";
import { startTestService, type TestService, testAudiences } from "../testing/test-service.ts";

let service: TestService;
let acting: ActingClient;
let person: Account;
before(async () => {
  service = await startTestService();
  acting = await addActingClient(service.pool);
  person = await addPerson(service.pool);
});
after(() => service[Symbol.asyncDispose]());

const [uploads = "", other = ""] = testAudiences;
const detailsFor = (folder: string) =>
  JSON.stringify([{ type: "bucket", actions: ["read"], locations: [folder] }]);

async function refresh(refresh_token: string | undefined, further: string[][] = []) {
  const { client_id } = acting.client;
  const form = { grant_type: "refresh_token", refresh_token: refresh_token ?? "", client_id };
  const response = await fetch(`${service.authUrl}/token`, {
    method: "POST",
    body: new URLSearchParams([...Object.entries(form), ...further]),
  });
  const { error } = (await response.json()) as { error?: string };
  return { status: response.status, error };
}

describe("a refresh for more than was granted is refused, and the token stays valid", () => {
  const cases: [what: string, asked: () => string[][], error: string][] = [
    ["scope", () => [["scope", "upl:bucket:write"]], "invalid_scope"],
    [
      "folders",
      () => [["authorization_details", detailsFor("/b")]],
      "invalid_authorization_details",
    ],
    ["resources", () => [["resource", other]], "invalid_target"],
    ["unknown resources", () => [["resource", "urn:svc:unknown"]], "invalid_target"],
    [
      "resources, the issuer among them",
      () => [uploads, service.authUrl].map((resource) => ["resource", resource]),
      "invalid_target",
    ],
  ];
  for (const [what, asked, error] of cases) {
    it(`more ${what}`, async () => {
      const changes = { authorization_details: detailsFor("/a") };
      const { tokens } = await runCodeFlow(service.authUrl, acting, person, { changes });
      const refused = await refresh(tokens.refresh_token, asked());
      assert.deepEqual(refused, { status: 400, error });
      assert.equal((await refresh(tokens.refresh_token)).status, 200);
    });
  }
});
