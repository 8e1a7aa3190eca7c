/** Limits on calls in a minute: refused in every protocol with a reason and a time to wait. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "@stowage/api/google/rpc/error_details_pb";
import { BucketUploadsService } from "@stowage/api/svc/api/v1/bucket_uploads_service_pb";
import { plainLines } from "./samples/plain.ts";
import { callers } from "./samples/tenants.ts";
import { type Deployment, deploy } from "./testing/deployment.ts";
import { callJson, readError } from "./testing/json-caller.ts";

const waitSeconds = /^([1-9]|[1-5]\d|60)$/;

for (const store of ["memory", "postgres"]) {
  describe(`with CLIENT_CALLS_PER_MINUTE_MAX, counted in ${store}`, () => {
    let deployment: Deployment;
    before(async () => {
      deployment = await deploy({
        lines: plainLines,
        environment: { CLIENT_CALLS_PER_MINUTE_MAX: "3", RATE_LIMIT_STORE: store },
      });
    });
    after(() => deployment?.close());

    const call = (caller: keyof typeof callers, body: object | string = {}) =>
      callJson(deployment.url, { body, token: deployment.issuer.mint(callers[caller]) });

    it("refuses further calls before it reads their bodies, and no calls of others", async () => {
      for (const expected of [200, 200, 200, 429]) {
        assert.equal((await call("reader")).status, expected);
      }
      const refused = await call("reader", "not JSON");
      const { status, code, reason } = readError(refused).error;
      assert.deepEqual([status, code, reason], [429, "resource_exhausted", "RATE_LIMIT_EXCEEDED"]);
      assert.match(refused.headers.get("retry-after") ?? "", waitSeconds);
      assert.equal((await call("notes")).status, 200);
    });

    it("counts no calls without a valid token", async () => {
      const token = deployment.issuer.mint(callers.scans, { exp: 1 });
      for (let count = 0; count < 5; count++) {
        assert.equal((await callJson(deployment.url, { token })).status, 401);
      }
      assert.equal((await call("scans")).status, 200);
    });

    for (const [name, createTransport] of [
      ["gRPC", createGrpcTransport],
      ["gRPC-Web", createGrpcWebTransport],
    ] as const) {
      it(`refuses them in ${name}`, async () => {
        const transport = createTransport({ baseUrl: deployment.url, httpVersion: "2" });
        const headers = { authorization: `Bearer ${deployment.issuer.mint(callers.reader)}` };
        const list = createClient(BucketUploadsService, transport).listUploads({}, { headers });
        await assert.rejects(list, (error) => {
          assert.ok(error instanceof ConnectError);
          assert.equal(error.code, Code.ResourceExhausted);
          const [details] = error.findDetails(ErrorInfoSchema);
          assert.equal(details?.reason, "RATE_LIMIT_EXCEEDED");
          assert.match(error.metadata.get("retry-after") ?? "", waitSeconds);
          return true;
        });
      });
    }
  });
}
