/** The system's promtool, which comes with Prometheus. */
import { spawnSync } from "node:child_process";

/** For the option `skip` of a test: why promtool is missing; false if it is not. */
export const promtoolMissing: string | false =
  spawnSync("promtool", ["--version"]).status === 0
    ? false
    : "there is no promtool: apt-get install prometheus";
