/**
 * Loaded into a child process before its program: ends it, in order, when its parent is gone. A
 * parent that is killed cannot forward anything; what it leaves behind is a closed channel.
 */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The channel alone does not keep the program running.
process.channel?.unref();
