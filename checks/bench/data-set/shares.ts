/**
 * Divides a whole number in proportion to weights, so that the parts add up to it exactly. Each
 * part is at most one off its proportion.
 */
export function sharesOf(total: number, weights: readonly number[]): number[] {
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0);
  let left = total;
  return weights.map((weight) => {
    const share = weightLeft > 0 ? Math.min(left, Math.round((left * weight) / weightLeft)) : 0;
    weightLeft -= weight;
    left -= share;
    return share;
  });
}
