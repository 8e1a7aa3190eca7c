import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  authorisationEnvironment,
  commonEnvironment,
  expectedPageUrl,
  webEnvironment,
} from "./environment.ts";

const neighbours = {
  ...{ authUrl: "http://127.0.0.1:8081", baseUrl: "http://127.0.0.1:8080" },
  clientId: "the client",
  clientSecret: "its secret",
};

describe("the environment of the services of npm start", () => {
  it("gives the authorisation service ports of its own", () => {
    const given = { PORT: "1", METRICS_PORT: "2", AUTH_PORT: "3", AUTH_METRICS_PORT: "4" };
    const { PORT, METRICS_PORT } = authorisationEnvironment(given);
    assert.deepEqual({ PORT, METRICS_PORT }, { PORT: "3", METRICS_PORT: "4" });
  });

  it("does not pass the ports of the uploads service on to it", () => {
    const { PORT, METRICS_PORT } = authorisationEnvironment({ PORT: "1", METRICS_PORT: "2" });
    assert.deepEqual({ PORT, METRICS_PORT }, { PORT: undefined, METRICS_PORT: undefined });
  });

  it("gives the page ports of its own, and never a client of the environment", () => {
    const given = { PORT: "1", METRICS_PORT: "2", WEB_PORT: "3", CLIENT_SECRET_FILE: "/etc/x" };
    const { PORT, METRICS_PORT, CLIENT_ID, CLIENT_SECRET_FILE } = webEnvironment(given, neighbours);
    assert.deepEqual([PORT, METRICS_PORT, CLIENT_ID], ["3", undefined, "the client"]);
    assert.equal(CLIENT_SECRET_FILE, undefined);
  });

  it("gives a page at another port a cookie of its own: browsers do not separate ports", () => {
    const cookieFor = (given: NodeJS.ProcessEnv) =>
      webEnvironment(given, neighbours).SESSION_COOKIE;
    assert.equal(cookieFor({}), undefined);
    assert.equal(cookieFor({ WEB_PORT: "a port" }), undefined);
    assert.equal(cookieFor({ WEB_PORT: "9002" }), "__Host-stowage-9002");
    assert.equal(cookieFor({ WEB_PORT: "9002", SESSION_COOKIE: "__Host-mine" }), "__Host-mine");
  });

  it("lets the page listen elsewhere only under an address of its own", () => {
    const hostFor = (given: NodeJS.ProcessEnv) => webEnvironment(given, neighbours).HOST;
    for (const HOST of ["127.0.0.1", "localhost", "::1", "0.0.0.0"]) {
      assert.equal(hostFor({ HOST }), HOST);
    }
    assert.equal(hostFor({ HOST: "192.168.1.7" }), "127.0.0.1");
    const PAGE_URL = "https://files.example.com";
    assert.equal(hostFor({ HOST: "192.168.1.7", PAGE_URL }), "192.168.1.7");
  });

  it("expects the page where its server says that it listens", () => {
    const cases: [given: NodeJS.ProcessEnv, url: string][] = [
      [{}, "http://127.0.0.1:8082"],
      [{ HOST: "0.0.0.0", WEB_PORT: "9002" }, "http://127.0.0.1:9002"],
      [{ HOST: "localhost" }, "http://localhost:8082"],
      [{ HOST: "::1" }, "http://[::1]:8082"],
      [{ PAGE_URL: "https://files.example.com/" }, "https://files.example.com"],
    ];
    for (const [given, url] of cases) assert.equal(expectedPageUrl(given), url);
  });

  it("logs warnings only, unless an access log or a level is set", () => {
    const levelOf = (given: NodeJS.ProcessEnv) => commonEnvironment(given).LOG_LEVEL;
    assert.equal(levelOf({}), "warn");
    assert.equal(levelOf({ ACCESS_LOG: "off" }), "warn");
    assert.equal(levelOf({ ACCESS_LOG: "sampled" }), "info");
    assert.equal(levelOf({ ACCESS_LOG: "on" }), "info");
    assert.equal(levelOf({ ACCESS_LOG: "on", LOG_LEVEL: "error" }), "error");
  });
});
