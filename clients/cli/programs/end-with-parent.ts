/**
 * Preloaded into a child process: ends it with SIGTERM when its parent is gone. A parent that is
 * killed cannot forward a signal, but its IPC channel closes.
 */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The channel alone must not keep the program running.
process.channel?.unref();
