/** A client of the driver that can give rows as bytes. */
import { Socket } from "node:net";
import pg from "pg";
import { Column } from "./column.ts";
import { connectionOf } from "./driver-internals.ts";
import { RawRowReader } from "./raw-row-reader.ts";

/**
 * The server process of a connection. After a failover, another server at the same address may have
 * a process with this ID, but none that started at the same microsecond.
 */
export interface Backend {
  readonly processId: number;
  readonly startedAt: string;
}

export class RawClient extends pg.Client {
  /** The values of the last statement that was read as one column. */
  readonly column = new Column();
  /** Undefined before the first call on this connection. */
  backend: Backend | undefined;
  #reader: RawRowReader | undefined;

  constructor(config?: string | pg.ClientConfig) {
    const options = typeof config === "string" ? { connectionString: config } : config;
    super({ ...options, stream: openSocket as () => Socket });
    const connection = connectionOf(this);
    const attachListeners = connection.attachListeners.bind(connection);
    connection.attachListeners = (stream) => {
      attachListeners({
        on: (event, listener) => {
          if (event !== "data") return stream.on(event, listener);
          const reader = new RawRowReader(listener);
          this.#reader = reader;
          return stream.on(event, (chunk) => reader.read(chunk));
        },
      });
    };
  }

  /** Calls `onRow` with the rows of the running statement, until it is called with undefined. */
  set onRow(onRow: RawRowReader["onRow"]) {
    if (this.#reader === undefined)
      throw new Error("Cannot read rows: the client is not connected");
    this.#reader.onRow = onRow;
  }
}

const readBytesMax = 64 * 1024;

/**
 * The socket of a connection. It reads into the same memory again and again: with new memory for
 * every chunk, the garbage collector would run many times a second. For an encrypted connection,
 * Node allocates the chunks in any case.
 */
function openSocket({ ssl }: { readonly ssl?: unknown } = {}): Socket {
  if (ssl) return new Socket();
  const onread = {
    buffer: Buffer.allocUnsafeSlow(readBytesMax),
    callback(sizeBytes: number, { buffer }: Uint8Array) {
      socket.emit("data", Buffer.from(buffer, 0, sizeBytes));
      return true;
    },
  };
  // Node's types have the option only for sockets that connect at once.
  const socket = new Socket({ onread } as ConstructorParameters<typeof Socket>[0]);
  return socket;
}
