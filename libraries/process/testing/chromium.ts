/** The system's Chromium, started for a test. */
import { accessSync, constants } from "node:fs";
import type { Browser } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** For the option `skip` of a test: why Chromium is missing; false if it is not. */
export const chromiumMissing: string | false = isMissing()
  ? `there is no ${executablePath}: apt-get install chromium`
  : false;

/** Long enough for a busy machine. */
export const patienceMs = 120_000;

/** Starts Chromium. The caller closes it. */
export async function startChromium(): Promise<Browser> {
  // Tests without a browser load this file too, and this library takes a while to load.
  const { chromium } = await import("playwright-core");
  return await chromium.launch({
    executablePath,
    timeout: patienceMs,
    // Tests may run as root, and only call their own server.
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

function isMissing(): boolean {
  try {
    accessSync(executablePath, constants.X_OK);
    return false;
  } catch {
    return true;
  }
}
