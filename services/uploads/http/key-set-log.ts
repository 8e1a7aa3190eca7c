import type { KeySetEvent } from "@stowage/access-token";
import { errorText, type Logger } from "@stowage/process";

/** Logs what happens to the issuer's keys. Requests are not logged: anyone can send them. */
export function keySetLog(logger: Logger): (event: KeySetEvent) => void {
  return (event) => {
    if (event.type === "fetchFailed") {
      logger.warn({ reason: errorText(event.error) }, "the issuer's keys could not be fetched");
    }
    if (event.type !== "fetched") return;
    const { added, withdrawn, replaced } = event;
    if (added.length + withdrawn.length + replaced.length === 0) return;
    logger.info({ added, withdrawn, replaced }, "the issuer's keys have changed");
  };
}
