export type SimSelection = 'OSDefault' | 'RoundRobin' | 'Random'

/**
 * Chooses one of the ready SIMs for a message whose request names no SIM.
 *
 * @param last the SIM of the previous choice
 * @param random returns a number from 0 up to 1
 */
export function chooseSim(
  selection: SimSelection,
  ready: readonly number[],
  last: number,
  random: () => number,
): number | undefined {
  const sorted = [...ready].sort((a, b) => a - b)
  switch (selection) {
    case 'OSDefault':
      return sorted[0]
    case 'RoundRobin':
      return sorted.find((simNumber) => simNumber > last) ?? sorted[0]
    case 'Random':
      return sorted[Math.floor(random() * sorted.length)]
  }
}
