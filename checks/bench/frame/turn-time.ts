/** How long a turn may take, so that all have enough turns in the time there is. */
export function turnMsFor(options: {
  readonly seconds: number;
  readonly contestants: number;
  readonly roundsMin: number;
  readonly turnMsMax: number;
}): number {
  const { seconds, contestants, roundsMin, turnMsMax } = options;
  return Math.min(turnMsMax, (seconds * 1000) / (contestants * roundsMin));
}
