/** The headers of a call in JSON by the Connect protocol. */
export function callHeaders(token: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    "connect-protocol-version": "1",
    "content-type": "application/json",
  };
}
