import assert from "node:assert/strict";
import { it } from "node:test";
import { browserProgram, openInBrowser } from "./open-browser.ts";

const graphical = { DISPLAY: ":0" };

const cases: [string, NodeJS.ProcessEnv, NodeJS.Platform, string | undefined][] = [
  ["a terminal in a window", graphical, "linux", "xdg-open"],
  ["Wayland", { WAYLAND_DISPLAY: "wayland-0" }, "linux", "xdg-open"],
  ["macOS", {}, "darwin", "open"],
  ["BROWSER", { BROWSER: "firefox" }, "linux", "firefox"],
  ["no display", {}, "linux", undefined],
  ["SSH", { ...graphical, SSH_CONNECTION: "a 1 b 22" }, "linux", undefined],
  ["SSH to macOS", { SSH_TTY: "/dev/pts/1" }, "darwin", undefined],
];
for (const [what, environment, platform, program] of cases) {
  it(`with ${what}, pages are opened by ${program ?? "nothing"}`, () => {
    assert.equal(browserProgram(environment, platform), program);
  });
}

it("tells whether the program could open the page", async () => {
  assert.equal(await openInBrowser("true", "http://127.0.0.1/"), true);
  assert.equal(await openInBrowser("false", "http://127.0.0.1/"), false);
  assert.equal(await openInBrowser("/no/such/program", "http://127.0.0.1/"), false);
});
