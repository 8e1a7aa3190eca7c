#!/usr/bin/env node
/**
 * The command `stowage`. It is plain JavaScript, since the Node that runs it may be too old for
 * TypeScript. In that case it starts the Node of the repository.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import "./programs/compile-cache.js";
import { whenNpmEnds } from "./programs/end-with-npm.js";

const nodeMajorMin = 26;

/** npm forwards the Ctrl-C that the terminal has already sent: both are the same key press. */
const sameSignalMs = 500;

if (canRun(process)) {
  await import("./main.ts");
} else {
  runUnder(findNode());
}

function canRun({ versions, features }) {
  return Number(versions.node.split(".", 1)[0]) >= nodeMajorMin && Boolean(features.typescript);
}

function findNode() {
  const need = `need Node ${nodeMajorMin} or newer`;
  const packageName = `node-${process.platform}-${process.arch}`;
  try {
    return createRequire(import.meta.url).resolve(`${packageName}/bin/node`);
  } catch {
    process.stderr.write(
      `stowage: Cannot run under Node ${process.versions.node}: ${need}, and package ` +
        `${packageName}, which would bring it, is not installed (npm ci)\n`,
    );
    process.exit(1);
  }
}

function runUnder(node) {
  const endWithParent = new URL("programs/end-with-parent.ts", import.meta.url).href;
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  const child = spawn(node, ["--import", endWithParent, main, ...process.argv.slice(2)], {
    // A process group of its own: this process forwards the terminal's signals, once.
    detached: true,
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    let forwardedAtMs = Number.NEGATIVE_INFINITY;
    process.on(signal, () => {
      if (performance.now() - forwardedAtMs < sameSignalMs) return;
      forwardedAtMs = performance.now();
      isStopping = true;
      child.kill(signal);
    });
  }
  // Ctrl-C may end npm first, and must count once.
  whenNpmEnds(() => isStopping || child.kill("SIGTERM"));
  child.once("error", (error) => {
    process.stderr.write(`stowage: Cannot run ${node}: ${error.message}\n`);
    process.exit(1);
  });
  child.once("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
