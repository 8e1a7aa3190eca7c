import type pg from "pg";
import { query } from "../../postgres/named-parameters.ts";

/** The numbers of buckets. One that is not in the index gets a number before it is made. */
export class BucketNumbers {
  readonly #client: pg.ClientBase;
  readonly #numbers = new Map<string, number>();

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  has(bucketId: string): boolean {
    return this.#numbers.has(bucketId);
  }

  of(bucketId: string): number {
    return this.#numbers.get(bucketId) as number;
  }

  /** Reads the number, or takes a new one. */
  async add(bucketId: string): Promise<void> {
    const { rows } = await query<{ number: number }>(
      this.#client,
      `select coalesce(
         (select bucket_number from uploads.buckets where bucket_id = :bucketId),
         nextval(pg_get_serial_sequence('uploads.buckets', 'bucket_number'))::integer) as number`,
      { bucketId },
    );
    this.#numbers.set(bucketId, (rows[0] as { number: number }).number);
  }
}
