import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { it } from "node:test";
import { ApiError } from "../../model/api-error.ts";
import { sendErrorAnswer } from "./error-answers.ts";

it("makes no error answer for a caller who is gone", async (test) => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  test.after(() => new Promise((resolve) => server.close(resolve)));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  const [request, response] = await once(server, "request");
  socket.destroy();
  await once(response, "close");
  const error = new ApiError("CANCELLED", "the caller went away");
  assert.equal(sendErrorAnswer(request, response, error), 0);
});
