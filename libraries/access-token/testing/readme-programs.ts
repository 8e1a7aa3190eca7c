/** The programs in the README, unchanged. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const packageUrl = new URL("../", import.meta.url);

export const readme = readFileSync(new URL("README.md", packageUrl), "utf8");

/** Each by the heading above it. */
export const programs = Object.fromEntries(
  readme.split(/^#+ /m).flatMap((section) => {
    const [heading = ""] = section.split("\n", 1);
    return Array.from(section.matchAll(/^```js\n(.*?)^```$/gms), ([, program = ""]) => [
      heading,
      program,
    ]);
  }),
);

export function startProgram(heading: string, environment: Record<string, string>) {
  const hooks = new URL("testing/readme-imports.ts", packageUrl).href;
  const program = programs[heading] ?? "";
  return spawn(process.execPath, ["--import", hooks, "--input-type=module", "--eval", program], {
    cwd: packageUrl,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Claims that are good now, whatever the time. */
export function goodClaims(issuer: string) {
  const now = Math.floor(Date.now() / 1000);
  return { iss: issuer, aud: ["urn:svc:uploads"], exp: now + 60, nbf: now, iat: now };
}
