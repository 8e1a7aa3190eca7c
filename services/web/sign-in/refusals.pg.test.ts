/** What a person reads after the issuer answered a sign-in with an error. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestBrowser } from "../testing/test-browser.ts";
import { startTestService, type TestService } from "../testing/test-service.ts";

const failed = "The sign-in failed at the sign-in service. Its error is:";

describe("a sign-in that the issuer refuses", () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service?.[Symbol.asyncDispose]());

  const texts = {
    access_denied: "The sign-in was cancelled, or you have not allowed it.",
    invalid_scope: `${failed} invalid_scope.`,
    server_error: `${failed} server_error.`,
    "Call <b>me": `${failed} unknown.`,
  };
  for (const [error, expected] of Object.entries(texts)) {
    it(`with the error ${error} says: ${expected}`, async () => {
      const browser = new TestBrowser(service.origin);
      const { headers } = await browser.open("/sign-in");
      const answer = service.issuer.authorize(headers.location ?? "", { code: null, error });
      const { status, text } = await browser.open(answer);
      assert.equal(status, 400);
      assert.equal(/<p>(.*)<\/p>/.exec(text)?.[1], expected);
    });
  }
});
