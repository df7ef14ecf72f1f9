/**
 * How many deliveries each hungry receiver is read: what it could do with, as long as there is room for that in the memory
 * of the worker; then an equal part of the room, and always a few, so that nobody waits for somebody else's.
 *
 * @param held by all receivers of the worker together
 */
export function shareRoom(wants: ReadonlyMap<bigint, number>, held: number): ReadonlyMap<bigint, number> {
  const part = Math.max(A_FEW, Math.floor((MOST_HELD - held) / wants.size))
  return new Map([...wants].map(([key, want]) => [key, Math.min(want, part)]))
}

const MOST_HELD = 20_000
const A_FEW = 10
