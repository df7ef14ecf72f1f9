// Go's `encoding/json` is stricter than a JavaScript program: it refuses a number where a struct has a string, and a
// time that is not RFC 3339. It ignores unknown members, and null leaves a field at its zero value. It finds a field
// without regard to case, so two members that differ only in case are the same field.

type Scalar = 'string' | 'bool' | 'int' | 'uint8' | 'uint16' | 'uint64' | 'time' | 'any'

/** The type of a Go value, or the fields of a Go struct by the name of their JSON member. */
export type GoShape =
  | Scalar
  | { readonly list: GoShape }
  | { readonly map: GoShape }
  | { readonly fields: Readonly<Record<string, GoShape>> }

/** Decodes JSON into a Go value. Throws an error with the path of the first member that Go would refuse. */
export function goDecode<T>(shape: GoShape, text: string): T {
  if (text.trim() === '') throw new Error('failed to decode response: EOF')
  const value: unknown = JSON.parse(text)
  check(shape, value, '')
  return value as T
}

function check(shape: GoShape, value: unknown, path: string): void {
  if (value === null || value === undefined || shape === 'any') return
  if (typeof shape === 'string') {
    if (!isScalar(shape, value))
      throw new Error(`cannot unmarshal ${JSON.stringify(value)} into ${path} of type ${shape}`)
  } else if ('list' in shape) {
    if (!Array.isArray(value)) throw new Error(`${path} is not a list: ${JSON.stringify(value)}`)
    for (const [index, item] of value.entries()) check(shape.list, item, `${path}[${index}]`)
  } else {
    if (typeof value !== 'object' || Array.isArray(value))
      throw new Error(`${path} is not an object: ${JSON.stringify(value)}`)
    checkMembers(shape, value, path)
  }
}

function checkMembers(
  shape: { readonly map: GoShape } | { readonly fields: Readonly<Record<string, GoShape>> },
  value: object,
  path: string,
): void {
  const seen = new Set<string>()
  for (const [name, member] of Object.entries(value)) {
    if ('map' in shape) {
      check(shape.map, member, `${path}.${name}`)
      continue
    }
    const folded = name.toLowerCase()
    if (seen.has(folded)) throw new Error(`${path} has two members that are the same field: ${name}`)
    seen.add(folded)
    const field = Object.entries(shape.fields).find(([field]) => field.toLowerCase() === folded)
    if (field !== undefined) check(field[1], member, `${path}.${name}`)
  }
}

const LIMITS = { int: [-(2 ** 53), 2 ** 53], uint8: [0, 255], uint16: [0, 65_535], uint64: [0, 2 ** 53] } as const

function isScalar(shape: Exclude<Scalar, 'any'>, value: unknown): boolean {
  if (shape === 'string') return typeof value === 'string'
  if (shape === 'bool') return typeof value === 'boolean'
  if (shape === 'time')
    return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  const [least, most] = LIMITS[shape]
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}
