/** A request as the contract writes it, as the bytes that go over the wire. */
export function httpRequest(path: string, token: string, body: object): Buffer {
  const content = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    `Authorization: Bearer ${token}`,
    "Connect-Protocol-Version: 1",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(content)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${content}`);
}
