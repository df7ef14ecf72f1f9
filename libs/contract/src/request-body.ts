import { z } from 'zod'

/** A JSON object of a request. Unknown members are ignored, and one that is null is absent. */
export function requestBody<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutNulls, z.object(shape))
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value)
  return members.some(([, member]) => member === null)
    ? Object.fromEntries(members.filter(([, member]) => member !== null))
    : value
}
