import assert from "node:assert/strict";
import { it } from "node:test";
import { isPageLocalOnly } from "./environment.ts";
import { welcomeText } from "./welcome-text.ts";

const welcome = {
  ...{ link: "http://127.0.0.1:8081/link", loginName: "demo", pageUrl: "http://127.0.0.1:8082" },
  ...{ baseUrl: "http://0.0.0.0:8080", organisationId: "acme", neededSettings: [] },
  token: { accessToken: "t", expiresInSeconds: 60 },
  now: new Date(0),
};

const cases: [environment: NodeJS.ProcessEnv, isSaid: boolean][] = [
  [{ HOST: "0.0.0.0" }, true],
  [{ HOST: "192.168.1.7" }, true],
  [{ HOST: "192.168.1.7", PAGE_URL: "https://files.example.com" }, false],
  [{ HOST: "localhost" }, false],
  [{}, false],
];
for (const [environment, isSaid] of cases) {
  it(`says whether browsers elsewhere cannot use the page: ${JSON.stringify(environment)}`, () => {
    const text = welcomeText({ ...welcome, isLocalOnly: isPageLocalOnly(environment) });
    const said = /8082\/\n +only for browsers of this machine; set PAGE_URL for others\n/;
    assert.equal(said.test(text), isSaid);
  });
}
