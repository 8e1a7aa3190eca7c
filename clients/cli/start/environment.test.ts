import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { authorisationEnvironment, commonEnvironment } from "./environment.ts";

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

  it("logs warnings only, unless an access log or a level is set", () => {
    const levelOf = (given: NodeJS.ProcessEnv) => commonEnvironment(given).LOG_LEVEL;
    assert.equal(levelOf({}), "warn");
    assert.equal(levelOf({ ACCESS_LOG: "off" }), "warn");
    assert.equal(levelOf({ ACCESS_LOG: "sampled" }), "info");
    assert.equal(levelOf({ ACCESS_LOG: "on" }), "info");
    assert.equal(levelOf({ ACCESS_LOG: "on", LOG_LEVEL: "error" }), "error");
  });
});
