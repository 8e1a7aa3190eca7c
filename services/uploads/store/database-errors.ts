/**
 * Whether an error means that the database cannot be reached or takes no work now, so that the same
 * request may succeed later; any other error is a fault of ours.
 */
export function isDatabaseOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  return (
    networkErrors.has(code) ||
    outOfReachStates.some((state) => code.startsWith(state)) ||
    driverMessages.some((message) => error.message.startsWith(message))
  );
}

const networkErrors = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

// SQLSTATE classes and codes: connection exceptions, too many connections, shutting down, starting.
const outOfReachStates = ["08", "53300", "57P01", "57P02", "57P03", "57P05"];

// The driver has no codes for these.
const driverMessages = [
  "Connection terminated",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error",
];
