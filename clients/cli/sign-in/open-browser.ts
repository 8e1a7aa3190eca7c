/** Opens a page in the browser of the person at this machine. */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** A program that cannot open the page has said so by then. */
const failsWithinMs = 1_500;

/**
 * The program that opens pages. Undefined where nobody would see them: over SSH, or without a
 * graphical display. BROWSER names another program.
 */
export function browserProgram(
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): string | undefined {
  const { BROWSER, SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY } = environment;
  if (SSH_CONNECTION || SSH_TTY) return undefined;
  if (BROWSER) return BROWSER;
  if (platform === "darwin") return "open";
  return DISPLAY || WAYLAND_DISPLAY ? "xdg-open" : undefined;
}

/** Returns false if the program cannot be started or fails. */
export async function openInBrowser(program: string, url: string): Promise<boolean> {
  const { promise: failed, resolve } = Promise.withResolvers<false>();
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.once("error", () => resolve(false));
  child.once("exit", (code) => {
    if (code !== 0) resolve(false);
  });
  child.unref();
  return await Promise.race([failed, sleep(failsWithinMs, true)]);
}
