import type { IncomingMessage, ServerResponse } from "node:http";
import { errorText } from "../error-text.ts";
import { HttpServer } from "../http/http-server.ts";
import { reachableUrl } from "../http/listening.ts";
import type { Logger } from "../logger.ts";

interface MetricsServer {
  /** Where the metrics are: `http://127.0.0.1:9090/metrics`. */
  readonly url: string;
  close(): Promise<void>;
}

interface MetricsServerOptions {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  readonly contentType: string;
  /** Makes the text of all metrics. */
  readonly render: () => Promise<string>;
  readonly logger: Logger;
}

/** Few programs read metrics. More connections are mistakes. */
const connectionsMax = 32;
const requestTimeoutMs = 5000;
/** A scraper that does not read is cut off after this time. */
const idleTimeoutMs = 10_000;
/** Scrapers keep their connection; most come back within a minute. */
const keepAliveTimeoutMs = 75_000;
const closeGraceMs = 1000;

/**
 * Answers `GET /metrics` on a port of its own. Concurrent requests share one rendering, so that
 * scrapers cannot overload the program. Rejects when the port is not available.
 */
export async function serveMetrics(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host, port } = options;
  let rendering: Promise<string> | undefined;
  const render = () => {
    rendering ??= options.render().finally(() => {
      rendering = undefined;
    });
    return rendering;
  };
  const server = new HttpServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutMs / 5,
    keepAliveTimeout: keepAliveTimeoutMs,
  });
  server.on("request", (request, response) => {
    void answer(request, response, { ...options, render });
  });
  server.timeout = idleTimeoutMs;
  const setting = "METRICS_PORT";
  const found = await server.listenOn({ host, port, setting, isShared: false, connectionsMax });
  return {
    url: `${reachableUrl(host, found)}/metrics`,
    close: () => server.closeGracefully(closeGraceMs),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { render, contentType, logger }: MetricsServerOptions,
): Promise<void> {
  const send = (status: number, text: string, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": "text/plain; charset=utf-8", ...headers });
    response.end(text);
  };
  if (request.url?.split("?", 1)[0] !== "/metrics") {
    send(404, "not found; need /metrics\n");
  } else if (request.method !== "GET") {
    send(405, "method not allowed; need GET\n", { allow: "GET" });
  } else {
    try {
      send(200, await render(), { "content-type": contentType });
    } catch (error) {
      logger.error({ reason: errorText(error) }, "the metrics could not be read");
      send(500, "the metrics could not be read\n");
    }
  }
}
