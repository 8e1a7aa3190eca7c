/** What the operation says about a call, for metrics and logs. */
export interface CallDetails {
  /** The bucket, once it was found for the caller. */
  bucketId: string | undefined;
  /** Uploads in the page, or folders and uploads of the tree. */
  rows: number | undefined;
  /** The plans that were tried, in order. */
  plans: readonly TriedPlan[];
}

export interface TriedPlan {
  /** Its kind. */
  readonly plan: string;
  /** Rows or index entries after which it was truncated; undefined for the plan that answered. */
  readonly truncatedAtRows?: number;
}
