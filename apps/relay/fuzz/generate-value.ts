import type { JsonSchema } from '../src/http/openapi/component-schemas.ts'
import type { Dice } from './dice.ts'
import { HOSTILE_JSON, HOSTILE_TEXTS } from './hostile-values.ts'

export type Schemas = Readonly<Record<string, JsonSchema>>

/**
 * Returns a value that the schema nearly always allows. For a schema with a pattern, returns one of the schema's
 * examples.
 */
export function validValue(schema: JsonSchema, schemas: Schemas, dice: Dice): unknown {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return validValue({ ...schemas[name], ...withoutReference(schema) }, schemas, dice)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return dice.pick(schema.enum)
  if (schema.anyOf) return validValue(dice.pick(schema.anyOf) as JsonSchema, schemas, dice)
  if (schema.examples?.length && !dice.once(3)) return dice.pick(schema.examples)
  switch (Array.isArray(schema.type) ? dice.pick(schema.type) : schema.type) {
    case 'object':
      return validObject(schema, schemas, dice)
    case 'array': {
      const most = Math.min(schema.maxItems ?? 4, dice.once(30) ? 100 : 4)
      const length = dice.between(Math.min(schema.minItems ?? 0, most), most)
      return Array.from({ length }, () => validValue((schema.items ?? {}) as JsonSchema, schemas, dice))
    }
    case 'integer':
    case 'number':
      return validNumber(schema, dice)
    case 'boolean':
      return dice.once(2)
    case 'string':
      return validText(schema, dice)
    case 'null':
      return null
    default:
      return dice.pick([null, 1, 'x', [], {}])
  }
}

function validObject(schema: JsonSchema, schemas: Schemas, dice: Dice): Record<string, unknown> {
  const members = Object.entries(schema.properties ?? {}).filter(
    ([name]) => schema.required?.includes(name) || dice.once(3),
  )
  return Object.fromEntries(
    members.map(([name, member]) => [name, validMember(name, member as JsonSchema, schemas, dice)]),
  )
}

/** Returns a valid value of a member, even if the schema of the member also allows invalid values. */
function validMember(name: string, member: JsonSchema, schemas: Schemas, dice: Dice): unknown {
  if (name === 'phoneNumbers') return Array.from({ length: dice.between(1, 3) }, () => phoneNumber(dice))
  if (name === 'recipient') return phoneNumber(dice)
  if (name === 'id') return `fuzz-${dice.below(100_000)}`
  return validValue(member, schemas, dice)
}

function phoneNumber(dice: Dice): string {
  return `+49151${dice.between(10_000_000, 99_999_999)}`
}

function validNumber({ minimum = -1000, maximum = 1_000_000 }: JsonSchema, dice: Dice): number {
  if (dice.once(6)) return minimum
  return dice.once(6) ? maximum : dice.between(minimum, Math.min(maximum, minimum + 10_000))
}

const ALPHABETS = ['abc XYZ 019', '€äß\n', 'Привет', '日本語', '😀👍', '@£$¥{}[]~|^\\', '+-. ()']

function validText(schema: JsonSchema, dice: Dice): string {
  if (schema.format === 'date-time') return time(dice)
  if (schema.contentEncoding === 'base64') return Buffer.alloc(dice.between(1, 200), dice.below(256)).toString('base64')
  if (schema.format === 'uri') return `https://example.com/${dice.below(1000)}`
  if (schema.pattern) return String(schema.examples?.[0] ?? 'x')
  const [least, most] = [schema.minLength ?? 0, Math.min(schema.maxLength ?? 40, dice.once(50) ? 5_000 : 40)]
  const characters = [...dice.pick(ALPHABETS)]
  let text = ''
  for (const length = dice.between(least, Math.max(least, most)); text.length < length; ) text += dice.pick(characters)
  return text
}

function time(dice: Dice): string {
  const moment = new Date(Date.UTC(2026, 0, 1) + dice.between(-1000, 3000) * 86_400_000).toISOString()
  return dice.once(2) ? moment : moment.replace('Z', dice.pick(['+07:00', '-03:30', '+00:00']))
}

function withoutReference({ $ref: _, ...rest }: JsonSchema): JsonSchema {
  return rest
}

/** Returns the JSON of a value with one member that is missing, of another type, or hostile. */
export function mutatedJson(value: unknown, dice: Dice): string {
  const marked = mutate(structuredClone(value), dice)
  return (JSON.stringify(marked) ?? '').replaceAll(MARK, () => hostileJson(dice))
}

/** Placeholder for JSON text that `JSON.stringify` cannot produce from any value. */
const MARK = '"\u2603hostile\u2603"'

function mutate(value: unknown, dice: Dice): unknown {
  if (typeof value !== 'object' || value === null || dice.once(4)) return MARK.slice(1, -1)
  const names = Object.keys(value)
  const name = names.length === 0 || dice.once(8) ? dice.pick(['__proto__x', 'constructor', 'more']) : dice.pick(names)
  const members = value as Record<string, unknown>
  switch (dice.below(5)) {
    case 0:
      if (!Array.isArray(value)) delete members[name]
      return value
    case 1:
      return { ...value, [name]: null }
    case 2:
      return { ...value, [name]: dice.pick(HOSTILE_TEXTS) }
    default:
      members[name] = mutate(members[name], dice)
      return value
  }
}

function hostileJson(dice: Dice): string {
  return dice.once(2) ? dice.pick(HOSTILE_JSON) : JSON.stringify(dice.pick(HOSTILE_TEXTS))
}
