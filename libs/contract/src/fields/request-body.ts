import { z } from 'zod'

/** Schema of a JSON object in a request. Ignores unknown members and treats null as absent. */
export function requestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutNulls, z.object(shape))
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
