/** Who runs a command, and on which machine, for the audit log. */
import { hostname, userInfo } from "node:os";

/**
 * The name: `user@host`. Containers often run programs under a number that is no user of theirs:
 * then it is that number.
 */
export function operatorName(findUser: () => { username: string } = userInfo): string {
  return `${userNameOf(findUser)}@${hostname()}`;
}

function userNameOf(findUser: () => { username: string }): string {
  try {
    return findUser().username;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SYSTEM_ERROR") throw error;
    return String(process.geteuid?.());
  }
}
