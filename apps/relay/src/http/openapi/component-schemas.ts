import { z } from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Collects the named schemas as components. Schemas without a name are inlined. */
export class ComponentSchemas {
  readonly #named: Record<string, JsonSchema> = {}

  /** Converts a schema for a request body, a query or a response. */
  add(schema: z.ZodType, place: 'body' | 'query' | 'answer'): JsonSchema {
    const override: Override = (context) => {
      touchUp(context)
      if (place === 'body') describeDefault(context.jsonSchema)
      // Later releases may add members to answers, so clients must accept them.
      else if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties
    }
    const {
      $schema: _,
      $defs,
      ...rendered
    } = z.toJSONSchema(schema, {
      io: place === 'answer' ? 'output' : 'input',
      override,
      // Leaves these schemas to `touchUp`, which refuses custom schemas that do not declare their type in JSON.
      unrepresentable: 'any',
    })
    for (const [name, definition] of Object.entries($defs ?? {})) this.#name(name, inDocument(definition))
    return inDocument(rendered)
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(Object.entries(this.#named).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #name(name: string, definition: JsonSchema): void {
    const known = this.#named[name]
    if (known && JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`two schemas are named ${name}: give each its own id`)
    this.#named[name] = definition
  }
}

/** Makes references point to the components of the document, and leaves out synonyms. */
function inDocument(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'), withoutSynonyms)
}

/**
 * Removes second spellings of a member, such as `device_id` for `deviceId`. Code generators give both the same name, so
 * the generated code does not compile in many languages.
 */
function withoutSynonyms(_key: string, value: unknown): unknown {
  const { properties, required } = (value ?? {}) as JsonSchema
  for (const [name, member] of Object.entries(properties ?? {}))
    if (typeof member === 'object' && member['synonymOf'] !== undefined) {
      delete properties?.[name]
      if (required?.includes(name)) required.splice(required.indexOf(name), 1)
    }
  return value
}

type Override = (context: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }) => void

/** Moves a default to the description, because code generators treat a member with a default as required. */
function describeDefault(jsonSchema: JsonSchema): void {
  const { default: preset, description } = jsonSchema
  if (preset === undefined) return
  delete jsonSchema.default
  jsonSchema.description = `${description ?? ''} (default: ${JSON.stringify(preset)})`.trim()
}

const touchUp: Override = ({ zodSchema, jsonSchema }) => {
  if (zodSchema._zod.def.type === 'custom' && jsonSchema.type === undefined)
    throw new Error('a custom schema needs a type for the OpenAPI document: register the schema with a type')
  // Adds the examples: zod omits the examples of transformed values, because they could be outputs, but our examples
  // are inputs.
  const { examples, default: preset } = z.globalRegistry.get(zodSchema) ?? {}
  if (Array.isArray(examples)) jsonSchema.examples = examples
  if (preset !== undefined) jsonSchema.default = preset
  // Some code generators read a constant `true` as a text with the value "true".
  if (typeof jsonSchema.const === 'boolean') delete jsonSchema.const
  // Removes the limits of JavaScript, which are not limits of the member.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
