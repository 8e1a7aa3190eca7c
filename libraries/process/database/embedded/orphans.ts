/**
 * Ends the processes that a killed postmaster left behind. A backend notices the death only when it
 * waits. During a long statement it continues, and no new server can start, because the backend is
 * still attached to the shared memory. A new server recovers from the log, so nothing is lost.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { runAsServerUser, type ServerUser } from "./server-user.ts";

interface DeadCluster {
  readonly binaries: Binaries;
  readonly folder: string;
  readonly user: ServerUser | undefined;
}

/**
 * Kills the orphans of a cluster whose postmaster is dead. Returns when they are gone, or after two
 * seconds. If some remain, the start fails, and PostgreSQL reports why.
 */
export async function endOrphans({ binaries, folder, user }: DeadCluster): Promise<void> {
  const deadline = performance.now() + endingMsMax;
  const parameters = ["-c", killOrphans, "sh", folder, join(binaries.bin, "postgres")];
  for (;;) {
    const result = await runAsServerUser(user, "/bin/sh", parameters, { timeoutMs: endingMsMax });
    if (result.code === 0 || performance.now() > deadline) return;
    await sleep(pollMs);
  }
}

const endingMsMax = 2000;
const pollMs = 20;

/**
 * Exit code 1 if it found any. Run as the server's user, since root in a container may not be
 * allowed to read these links of others. A postmaster is never among them: it keeps its command
 * line, and a process whose postmaster lives has it as parent.
 */
const killOrphans = `
found=0
for process in /proc/[0-9]*; do
  [ "$process/cwd" -ef "$1" ] && [ "$process/exe" -ef "$2" ] || continue
  title=; read -r title 2>/dev/null <"$process/cmdline"
  case $title in "postgres: "*) ;; *) continue ;; esac
  stat=; read -r stat 2>/dev/null <"$process/stat"
  parent=\${stat##*) ? }; parent=\${parent%% *}
  [ "/proc/$parent/exe" -ef "$2" ] && continue
  kill -9 "\${process#/proc/}" && found=1
done
exit $found`;
