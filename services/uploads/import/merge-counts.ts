/** What became of the things of one kind that an import brought. */
export interface MergeCounts {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
}

export function mergeCounts(all: number, made: number, changed: number): MergeCounts {
  return { new: made, changed, unchanged: all - made - changed };
}
