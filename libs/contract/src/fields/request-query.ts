import { z } from 'zod'

/** Schema of a query string. Ignores unknown parameters and treats empty values as absent. */
export function requestQuery<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withoutEmpty, z.object(shape))
}

export const queryBoolean = z.preprocess((value) => {
  const known = typeof value === 'string' ? booleans[value.toLowerCase()] : undefined
  return known ?? value
}, z.boolean('must be true or false'))

const booleans: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

export function queryInteger(minimum: number, maximum: number) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value) ? Number(value) : value),
    z.int().min(minimum).max(maximum),
  )
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
  return members.some(([, member]) => member === '')
    ? Object.fromEntries(members.filter(([, member]) => member !== ''))
    : value
}
