/** How long until the next try: what the refusal asks for, doubled each time, an hour at most, ±20 % so that many do not come at once. */
export function backOffMs(tries: number, firstMs: number, chance: number, mostMs = longestMs): number {
  const doubled = Math.min(mostMs, Math.max(shortestMs, firstMs) * 2 ** Math.min(Math.max(0, tries - 1), 16))
  return Math.round(doubled * (0.8 + 0.4 * chance))
}

const shortestMs = 1000
const longestMs = 60 * 60_000
