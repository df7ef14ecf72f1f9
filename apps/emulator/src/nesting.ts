/** A USSD menu of thirty steps, one behind the other. */
export const DEEPEST_NESTING = 64

/** Level by level: whatever walks such a value by recursion, as a schema does, runs out of stack. */
export function isNestedTooDeeply(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth < DEEPEST_NESTING && level.length > 0; depth++)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  return level.length > 0
}
