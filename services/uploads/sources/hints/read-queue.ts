/** Reads the events of a store from a queue of SQS. */
import { env } from "node:process";
import {
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { fromNodeProviderChain } from "@aws-sdk/credential-providers";
import { errorText, type Logger } from "@stowage/process";
import type { S3Location } from "../source.ts";
import { NotJsonError, readEvents } from "./read-records.ts";

interface QueueOptions {
  /** The address of the queue. */
  readonly queue: string;
  readonly location: S3Location;
  /** Takes the keys that changed. Resolves with whether they need not be told again. */
  readonly onHints: (keys: readonly string[]) => Promise<boolean>;
  /** Called after each answer of the queue. */
  readonly onAnswer: () => Promise<void>;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** How long the queue waits for a message before it answers without one: the most there is. */
const waitMaxSeconds = 20;
const messagesMax = 10;
/** Answers whose messages are not deleted yet. With more, it waits until a small run has ended. */
const unstoredMax = 100;

/**
 * Reads until the signal aborts. Messages are deleted when their hints are stored; until then, the
 * queue may give them out again.
 *
 * @throws the error of the queue.
 */
export async function readQueue(options: QueueOptions): Promise<void> {
  const { queue, onHints, onAnswer, signal } = options;
  const client = openQueue(options);
  const unstored = new Set<Promise<void>>();
  let failure: unknown;
  try {
    for (;;) {
      const asked = { QueueUrl: queue, MaxNumberOfMessages: messagesMax };
      const { Messages: messages = [] } = await client.send(
        new ReceiveMessageCommand({ ...asked, WaitTimeSeconds: waitMaxSeconds }),
        { abortSignal: signal },
      );
      await onAnswer();
      if (failure !== undefined) throw failure;
      if (messages.length === 0) continue;
      const keys = messages.flatMap((message) => keysOf(message, options));
      const store = async () => {
        if (keys.length > 0 && !(await onHints(keys))) return;
        await client.send(deletionOf(messages, queue), { abortSignal: signal });
      };
      const stored: Promise<void> = store()
        .catch((error) => {
          failure = error;
        })
        .finally(() => unstored.delete(stored));
      unstored.add(stored);
      if (unstored.size >= unstoredMax) await Promise.race(unstored);
    }
  } finally {
    client.destroy();
  }
}

function openQueue({ queue, location: { profile, region } }: QueueOptions): SQSClient {
  const agent = { keepAlive: true, proxyEnv: env };
  const ofAddress = /^sqs\.([a-z0-9-]+)\.amazonaws\./.exec(new URL(queue).host)?.[1];
  return new SQSClient({
    region: ofAddress ?? region ?? "us-east-1",
    // Else the address of a queue elsewhere would not be used as it is.
    ...(ofAddress === undefined && { endpoint: new URL(queue).origin }),
    credentials: fromNodeProviderChain({
      ...(profile !== undefined && { profile }),
      ignoreCache: true,
    }),
    requestHandler: {
      connectionTimeout: 10_000,
      requestTimeout: 2 * waitMaxSeconds * 1000,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
  });
}

/** Whoever may write to the queue may write anything. What is no event is deleted, too. */
function keysOf({ Body: body = "" }: Message, { location, logger }: QueueOptions) {
  try {
    return readEvents(body, location).keys;
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    logger.warn({ reason: errorText(error) }, "a message in a queue is no event of a store");
    return [];
  }
}

function deletionOf(messages: readonly Message[], queue: string): DeleteMessageBatchCommand {
  const entries = messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle }));
  return new DeleteMessageBatchCommand({ QueueUrl: queue, Entries: entries });
}
