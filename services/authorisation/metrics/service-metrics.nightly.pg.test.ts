import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, it } from "node:test";
import { createLogger, openMetrics } from "@stowage/process";
import { until } from "@stowage/process/testing";
import { addLogoutNotices } from "../store/logout-notices.ts";
import { addActingClient, addPerson, runCodeFlow } from "../testing/code-flow.ts";
import { startLogoutReceiver, status } from "../testing/logout-receiver.ts";
import { startTestService, type TestService, testClient } from "../testing/test-service.ts";
import { basic, postForm } from "../testing/token-request.ts";

const logger = createLogger({ name: "test", level: "silent" });
const metrics = await openMetrics({ host: "127.0.0.1", metricsPort: undefined, logger });
let service: TestService;
before(async () => {
  service = await startTestService({ metrics, clientRequestsPerMinuteMax: 5 });
});
after(() => service[Symbol.asyncDispose]());

/** The lines of the values, without those of histograms' buckets. */
async function lines(): Promise<string[]> {
  const text = await metrics.registry.metrics();
  return text.split("\n").filter((line) => /^[^#]/.test(line) && !line.includes("_bucket"));
}

/** Waits for a value: a request counts when its connection has taken the whole answer. */
async function counted(series: string, value: number): Promise<void> {
  await until(`${series} is ${value}`, async () => (await lines()).includes(`${series} ${value}`));
}

const prefix = "stowage_authorisation";

it("counts token requests by kind of grant and result", async () => {
  await postForm(service.authUrl, { grant_type: "client_credentials" });
  await postForm(service.authUrl, { grant_type: "client_credentials", scope: "no:such:scope" });
  const wrong = { authorization: basic(testClient.clientId, "a wrong secret") };
  await postForm(service.authUrl, { grant_type: "client_credentials" }, wrong);
  await counted(`${prefix}_grants_total{grant="client_credentials",result="issued"}`, 1);
  await counted(`${prefix}_grants_total{grant="client_credentials",result="invalid_scope"}`, 1);
  await counted(`${prefix}_grants_total{grant="client_credentials",result="invalid_client"}`, 1);
  await counted(`${prefix}_requests_total{route="/token",status="200"}`, 1);
  await counted(`${prefix}_request_duration_seconds_count{route="/token"}`, 3);
});

it("counts grants and sign-ins of people", async () => {
  const acting = await addActingClient(service.pool);
  await runCodeFlow(service.authUrl, acting, await addPerson(service.pool));
  await counted(`${prefix}_grants_total{grant="authorization_code",result="issued"}`, 1);
  await counted(`${prefix}_sign_ins_total{result="accepted"}`, 1);
  await counted(`${prefix}_requests_total{route="/interaction",status="303"}`, 2);
});

it("counts what a limit per minute refuses", async () => {
  let last = 200;
  while (last !== 429) {
    last = (await postForm(service.authUrl, { grant_type: "client_credentials" })).status;
  }
  await counted(`${prefix}_rate_limited_total{limit="client"}`, 1);
});

it("adds no series for anything that a caller invents", async () => {
  const invent = async () => {
    await fetch(`${service.authUrl}/${randomUUID()}`);
    await fetch(`${service.authUrl}/interaction/${"a".repeat(43)}`);
    const invented = { authorization: basic(randomUUID(), randomUUID()) };
    await postForm(service.authUrl, { grant_type: `urn:${randomUUID()}` });
    await postForm(service.authUrl, { grant_type: "client_credentials" }, invented);
    const requests = (await lines()).filter((line) => line.startsWith(`${prefix}_requests_total`));
    return requests.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  };
  const series = async () => (await lines()).map((line) => line.slice(0, line.lastIndexOf(" ")));
  const begun = await invent();
  await until("all are counted", async () => (await invent()) >= begun + 4);
  const before = await series();
  await invent();
  assert.deepEqual(await series(), before);
});

it("shows the age of the signing key and of the denylist", async () => {
  await counted(`${prefix}_signing_keys{state="signing"}`, 1);
  const read = async (name: string) =>
    Number(
      (await lines())
        .find((line) => line.startsWith(name))
        ?.split(" ")
        .at(-1),
    );
  const created = `${prefix}_signing_key_created_timestamp_seconds{state="signing"}`;
  const ageSeconds = Date.now() / 1000 - (await read(created));
  assert.ok(ageSeconds > -5 && ageSeconds < 600, `${ageSeconds}`);
  assert.ok((await read(`${prefix}_signing_keys_read_age_seconds`)) < 60);
  assert.ok((await read("stowage_denylist_lag_seconds")) < 60);
});

it("counts logout notices", async () => {
  await using receiver = await startLogoutReceiver(status(200));
  const backChannelLogoutUri = receiver.logoutUri;
  const { client } = await addActingClient(service.pool, { backChannelLogoutUri });
  const ended = { clientId: client.client_id, subject: "urn:svc:user:7", sid: randomUUID() };
  await addLogoutNotices(service.pool, [ended]);
  await counted(`${prefix}_logout_notices_total{result="delivered"}`, 1);
  await counted(`${prefix}_logout_notices_total{result="failed"}`, 0);
});
