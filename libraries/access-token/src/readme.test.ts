import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { publish, startIssuerServer } from "../test-support/issuer-server.ts";
import { audience, signingKey, signToken } from "../test-support/tokens.ts";
import {
  refusalMessages,
  type TokenRefusalReason,
  TokenRefusedError,
} from "./token-refused-error.ts";

const packageUrl = new URL("../", import.meta.url);
const readme = readFileSync(new URL("README.md", packageUrl), "utf8");

/** The programs that the README shows, as they stand there. */
const [tenLines = "", server = ""] = Array.from(
  readme.matchAll(/^```js\n(.*?)^```$/gms),
  ([, program]) => program,
);

function startProgram(program: string, environment: Record<string, string>) {
  return spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: packageUrl,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function startServer(issuer: string) {
  const child = startProgram(server, { AUTH_URL: issuer, PORT: "0" });
  const [line] = await once(createInterface(child.stdout), "line");
  const port = /^listening on port (\d+)$/.exec(line)?.[1];
  return {
    address: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}

/** Claims that are good now, whatever the time. */
function goodClaims(issuer: string) {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: [audience, "urn:svc:uploads"], exp: now + 60, nbf: now, iat: now };
}

describe("the README", () => {
  it("validates a token in ten lines", async () => {
    assert.equal(tenLines.trimEnd().split("\n").length, 10);
    await using issuer = await startIssuerServer(publish(signingKey.jwk));
    const token = await signToken(goodClaims(issuer.address));
    const child = startProgram(tenLines, { AUTH_URL: issuer.address, ACCESS_TOKEN: token });
    const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
    assert.equal(output, "urn:svc:user:7 may upl:bucket:read\n");
    assert.equal(child.exitCode, 0);
  });

  it("shows a server that works", async () => {
    await using issuer = await startIssuerServer(publish(signingKey.jwk));
    await using example = await startServer(issuer.address);
    const good = goodClaims(issuer.address);

    const ask = async (changes?: object) => {
      const token = changes && (await signToken({ ...good, ...changes }));
      const headers = token ? { authorization: `Bearer ${token}` } : undefined;
      const response = await fetch(example.address, headers ? { headers } : {});
      return [response.status, await response.text(), response.headers.get("www-authenticate")];
    };

    assert.deepEqual(await ask({}), [200, "Hello, urn:svc:user:7.\n", null]);
    assert.deepEqual(await ask(), [401, "An access token is required.\n", 'Bearer realm="api"']);
    assert.deepEqual((await ask({ aud: "other" })).slice(0, 2), [
      401,
      "The access token is meant for another service.\n",
    ]);
    const [status, , challenge] = await ask({ scope: "other" });
    assert.equal(status, 403);
    assert.match(String(challenge), /, scope="upl:bucket:read"$/);
  });

  it("lists every reason with its status and message, and no others", () => {
    const listed = readme.matchAll(/^\| `([A-Z_]+)` +\| (\d+) +\| (.*?) +\|$/gm);
    const reasons = Object.keys(refusalMessages) as TokenRefusalReason[];
    assert.deepEqual(
      [...listed].map(([, ...row]) => row),
      reasons.map((reason) => {
        const { status, message } = new TokenRefusedError(reason, "");
        return [reason, `${status}`, message];
      }),
    );
  });
});
