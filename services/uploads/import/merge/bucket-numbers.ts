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
    const values = { bucketId };
    await query(this.#client, takeNumber, values);
    const { rows } = await query<{ number: number }>(this.#client, readNumber, values);
    this.#numbers.set(bucketId, (rows[0] as { number: number }).number);
  }
}

const takeNumber = `
  insert into uploads.bucket_numbers (bucket_id)
  select :bucketId::uuid where not exists (
    select from uploads.bucket_numbers where bucket_id = :bucketId)
  on conflict do nothing`;

const readNumber = `
  select bucket_number as number from uploads.bucket_numbers where bucket_id = :bucketId`;
