import { z } from 'zod'

/** Schema of a JSON object in a request. Ignores unknown members and treats null as absent. */
export function requestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutNulls, z.object(shape))
}

/**
 * Schema of a JSON object in a request whose members restrict something. Refuses unknown members, because a misspelled
 * restriction would otherwise have no effect. Treats null as absent.
 */
export function exactRequestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.preprocess((value, context) => {
    const given = withoutNulls(value)
    const names = typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.keys(given) : []
    for (const name of names.filter((name) => !known.includes(name))) {
      const message = `is not a known field. ${unknownAdvice(name, known)}`
      context.addIssue({ code: 'custom', path: [name], message })
    }
    return given
  }, z.strictObject(shape))
}

function unknownAdvice(name: string, known: readonly string[]): string {
  const alike = known.map((candidate) => ({ candidate, length: commonPrefix(name, candidate) }))
  const nearest = alike.reduce((best, next) => (next.length > best.length ? next : best))
  return nearest.length < 3 ? `The known fields are ${known.join(', ')}` : `Did you mean ${nearest.candidate}?`
}

/** Returns the number of equal characters at the beginning of two names, in upper or lower case. */
function commonPrefix(one: string, other: string): number {
  const letters = [...other.toLowerCase()]
  const differs = letters.findIndex((letter, index) => one[index]?.toLowerCase() !== letter)
  return differs === -1 ? letters.length : differs
}

/**
 * Schema of a member that cannot be changed. A request that contains it is refused. If the member were ignored, the
 * caller would believe that it was changed.
 */
export function unchangeable(instead: string) {
  return z
    .never(`cannot be changed: ${instead}`)
    .optional()
    .meta({ description: `Cannot be changed: ${instead}` })
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value)
  return members.some(([, member]) => member === null)
    ? Object.fromEntries(members.filter(([, member]) => member !== null))
    : value
}
