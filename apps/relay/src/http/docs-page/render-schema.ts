import type { JsonSchema } from '../openapi/component-schemas.ts'
import { type Html, html, prose } from './html.ts'

export type Schemas = Readonly<Record<string, JsonSchema>>

/** The members of an object, nested ones below theirs. */
export function memberTable(schema: JsonSchema, schemas: Schemas): Html {
  const rows = rowsOf(resolved(schema, schemas), schemas, '', 0)
  if (rows.length === 0) return html`<p>${typeWords(schema, schemas)}</p>`
  return html`<div class="scroll"><table>
    <thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
    <tbody>${rows}</tbody></table></div>`
}

/** `integer, 1 to 100` */
export function typeWords(schema: JsonSchema, schemas: Schemas): string {
  const own = resolved(schema, schemas)
  if (own.const !== undefined) return JSON.stringify(own.const)
  if (own.enum) return own.enum.join(' · ')
  if (own.anyOf) return [...new Set(own.anyOf.map((choice) => typeWords(choice as JsonSchema, schemas)))].join(' or ')
  if (own.type === 'array') return `list of ${typeWords((own.items ?? {}) as JsonSchema, schemas)}${bounds(own)}`
  if (own.format === 'date-time') return 'time'
  const type = Array.isArray(own.type) ? own.type.join(' or ') : (own.type ?? 'any')
  return type + bounds(own)
}

export function resolved(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  const { $ref: _, ...beside } = schema
  return name === undefined ? schema : { ...schemas[name], ...beside }
}

const DEEPEST = 4

function rowsOf(schema: JsonSchema, schemas: Schemas, prefix: string, depth: number): Html[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const own = resolved(member as JsonSchema, schemas)
    const path = prefix + name
    const inner = innerOf(own, schemas)
    const row = html`<tr><td><code>${path}</code>${schema.required?.includes(name) ? REQUIRED : undefined}</td>
      <td>${typeWords(own, schemas)}</td><td>${meaning(own)}</td></tr>`
    if (inner === undefined || depth >= DEEPEST) return [row]
    return [row, ...rowsOf(inner.schema, schemas, path + inner.joint, depth + 1)]
  })
}

const REQUIRED = html` <span class="required">required</span>`

export function meaning(schema: JsonSchema): Html {
  const { description, default: preset, examples, deprecated } = schema
  const example = examples?.[0]
  return html`${deprecated ? html`<span class="deprecated">deprecated</span> ` : undefined}${prose(description ?? '')}${
    preset === undefined ? undefined : html` <span class="note">Default <code>${JSON.stringify(preset)}</code></span>`
  }${
    example === undefined || typeof example === 'object'
      ? undefined
      : html` <span class="note">As in <code>${String(example)}</code></span>`
  }`
}

/** What lies inside, and how the path goes on. */
function innerOf(schema: JsonSchema, schemas: Schemas): { schema: JsonSchema; joint: string } | undefined {
  if (schema.properties) return { schema, joint: '.' }
  const items = schema.type === 'array' ? resolved((schema.items ?? {}) as JsonSchema, schemas) : undefined
  if (items?.properties) return { schema: items, joint: '[].' }
  const choice = schema.anyOf?.map((one) => resolved(one as JsonSchema, schemas)).find(({ properties }) => properties)
  return choice && { schema: choice, joint: '.' }
}

function bounds({ minimum, maximum, minLength, maxLength, minItems, maxItems }: JsonSchema): string {
  const [least, most, unit] =
    minimum !== undefined || maximum !== undefined
      ? [minimum, maximum, '']
      : minItems !== undefined || maxItems !== undefined
        ? [minItems, maxItems, ' items']
        : [minLength, maxLength, ' characters']
  if (least === undefined && most === undefined) return ''
  if (most === undefined) return least === 0 ? '' : `, at least ${least}${unit}`
  return least === undefined ? `, at most ${most}${unit}` : `, ${least} to ${most}${unit}`
}
