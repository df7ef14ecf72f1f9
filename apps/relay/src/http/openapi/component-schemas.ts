import { z } from 'zod'

export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Collects every schema that has a name, once; the others stand where they are used. */
export class ComponentSchemas {
  readonly #named: Record<string, JsonSchema> = {}

  /** As a request sends it, or as an answer holds it. */
  add(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const { $schema: _, $defs, ...rendered } = z.toJSONSchema(schema, { io, override: touchUp })
    for (const [name, definition] of Object.entries($defs ?? {})) this.#name(name, inDocument(definition))
    return inDocument(rendered)
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(Object.entries(this.#named).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  #name(name: string, definition: JsonSchema): void {
    const known = this.#named[name]
    if (known && JSON.stringify(known) !== JSON.stringify(definition))
      throw new Error(`two schemas are named ${name}: give each an id of its own`)
    this.#named[name] = definition
  }
}

/** References as a document has them: there, shared schemas live among its components. */
function inDocument(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

function touchUp({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonSchema }): void {
  // Left out where a value is transformed, for they might be outputs; ours are what a request sends.
  const { examples, default: preset } = z.globalRegistry.get(zodSchema) ?? {}
  if (Array.isArray(examples)) jsonSchema.examples = examples
  if (preset !== undefined) jsonSchema.default = preset
  // Bounds of the language, not of the member.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  // Answers may get new members: callers are not to refuse them.
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}
