import assert from "node:assert/strict";
import { it } from "node:test";
import type { Logger } from "@stowage/process";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { BusyError } from "../limits/busy-error.ts";
import { bareClient, startBareProvider } from "../testing/bare-provider.ts";
import {
  answerError,
  createFaultReporter,
  handleServerErrors,
  reportErrors,
} from "./error-answers.ts";

function logTo(logged: unknown[]) {
  const log = (...entry: unknown[]) => logged.push(entry);
  const logger = { error: log, warn: log, info: log } as unknown as Logger;
  return { logger, reportFault: createFaultReporter(logger) };
}

function failWith(error: Error) {
  return (provider: Provider) =>
    provider.registerGrantType("failing", () => {
      throw error;
    });
}

const configuration = {
  clients: [{ ...bareClient, grant_types: ["failing"], response_types: [] }],
};
const form = { grant_type: "failing" };
const html = { accept: "text/html" };
const busy = new BusyError(429, "too often", 7);

it("oidc-provider answers programs in HTML, and says not when to come back", async () => {
  await using bare = await startBareProvider(configuration, failWith(busy));
  const response = await bare.post("/token", form, html);
  assert.equal(response.status, 429);
  assert.match(response.headers.get("content-type") ?? "", /html/);
  assert.equal(response.headers.get("retry-after"), null);
});

it("programs get JSON, and hear when to come back", async () => {
  await using bare = await startBareProvider(
    { ...configuration, renderError: answerError },
    (provider) => {
      failWith(busy)(provider);
      reportErrors(provider, logTo([]));
    },
  );
  const response = await bare.post("/token", form, html);
  assert.deepEqual([response.status, response.headers.get("retry-after")], [429, "7"]);
  assert.deepEqual(await response.json(), {
    error: "temporarily_unavailable",
    error_description: "too often",
  });
});

for (const code of ["ECONNREFUSED", "57014"]) {
  it(`the answer to an outage (${code}) has status 503, where oidc-provider has 500`, async () => {
    const outage = Object.assign(new Error("refused"), { code });
    const logged: unknown[] = [];
    const statuses: number[] = [];
    for (const reporting of [undefined, logTo(logged)]) {
      await using bare = await startBareProvider(configuration, (provider) => {
        failWith(outage)(provider);
        if (reporting) reportErrors(provider, reporting);
      });
      statuses.push((await bare.post("/token", form)).status);
    }
    assert.deepEqual(statuses, [500, 503]);
    const entry = { route: "token", reason: "refused", count: 1 };
    assert.deepEqual(logged, [[entry, "cannot answer a request"]], "without a stack");
  });
}

it("a fault is logged without the path, which may contain a secret of the browser", async () => {
  const logged: unknown[] = [];
  const ctx = {
    path: "/auth/a-secret",
    url: "/auth/a-secret",
    oidc: { route: "token" },
    remove: () => undefined,
  };
  const error = new Error("cause");
  const next = () => Promise.reject(error);
  const { reportFault } = logTo(logged);
  await handleServerErrors(reportFault)(ctx as unknown as KoaContextWithOIDC, next);
  assert.deepEqual(logged, [[{ err: error, route: "token" }, "cannot answer a request"]]);
});

it("a fault of our own page is logged with its path, and without the ID in it", async () => {
  const logged: { route?: string }[] = [];
  for (const path of ["/account", `/interaction/${"a".repeat(43)}`]) {
    const ctx = { path, remove: () => undefined, set: () => undefined };
    const next = () => Promise.reject(new Error("a bug"));
    const reportFault = (_: Error, where: { route?: string }) => void logged.push(where);
    await handleServerErrors(reportFault)(ctx as unknown as KoaContextWithOIDC, next);
  }
  assert.deepEqual(logged, [{ route: "/account" }, { route: "/interaction" }]);
});
