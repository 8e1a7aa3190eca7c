export function whenNpmEnds(onEnd: () => void): void;
