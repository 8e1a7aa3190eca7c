/** The system's Chromium, started for a test. */
import { accessSync, constants } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = "/usr/bin/chromium";

/** Why there is none; false where there is one, as `skip` of a test takes it. */
export const chromiumMissing: string | false = isMissing()
  ? `there is no ${executablePath}: apt-get install chromium`
  : false;

/** Longer than anything takes on a machine that has much else to do. */
export const patienceMs = 120_000;

/** Starts it. The caller closes it. */
export async function startChromium(): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    timeout: patienceMs,
    // It runs as root where tests do, and calls nobody but the test's server.
    args: [
      ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
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
