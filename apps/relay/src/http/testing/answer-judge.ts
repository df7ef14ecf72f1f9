import { z } from 'zod'
import type { JsonSchema } from '../openapi/component-schemas.ts'
import type { OpenapiDocument } from '../openapi/openapi-document.ts'
import type { Operation } from '../openapi/operation.ts'

export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/**
 * Statuses with which the server itself may answer a request for any operation, such as 404 for an unknown path or 413
 * for a long body.
 */
const EVERYWHERE = [400, 404, 405, 408, 413, 431]

/** Compares answers with the OpenAPI document. Returns the first difference, or undefined if there is none. */
export class AnswerJudge {
  readonly #components: Readonly<Record<string, JsonSchema>>
  readonly #readers = new Map<string, z.ZodType>()

  constructor({ components }: OpenapiDocument) {
    this.#components = components.schemas
  }

  problemOf(method: string, operation: Operation | undefined, answer: ReceivedAnswer): string | undefined {
    const { status, headers, text } = answer
    if (status >= 500 && !isAboutDevice(operation, status)) return `answered ${status}: ${text.slice(0, 500)}`
    if (headers['x-request-id'] === undefined) return 'has no X-Request-ID'
    if (status === 401 && headers['www-authenticate'] === undefined) return 'is a 401 without WWW-Authenticate'
    if (status === 405 && headers['allow'] === undefined) return 'is a 405 without Allow'
    if ((status === 429 || status === 503) && headers['retry-after'] === undefined)
      return `is a ${status} without Retry-After`
    if (method === 'HEAD' || (method === 'OPTIONS' && status === 204)) return text === '' ? undefined : 'has a body'
    // Finds the operation again, because a request with a hostile path or method may match another operation.
    if (!operation && status < 300) return undefined
    const response = operation?.responses[status]
    if (!response && operation && !EVERYWHERE.includes(status)) return `answered ${status}, which is not documented`
    if (response && !response.content) return text === '' ? undefined : 'has a body where none is documented'
    const [type, media] = Object.entries(response?.content ?? { 'application/json': { schema: PROBLEM } })[0] ?? []
    if (type !== 'application/json' || media === undefined) return undefined
    return this.#bodyProblem(media.schema, answer)
  }

  #bodyProblem(schema: JsonSchema, { status, text }: ReceivedAnswer): string | undefined {
    let value: unknown
    try {
      value = JSON.parse(text)
    } catch {
      return `is not JSON: ${text.slice(0, 200)}`
    }
    // Skips the check of a body that the route table declares as text.
    const result = schema.type === 'string' ? { success: true as const } : this.#reader(schema).safeParse(value)
    if (result.success) return undefined
    const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    return `${status} is not as documented: ${issues.join('; ').slice(0, 300)}: ${text.slice(0, 300)}`
  }

  #reader(schema: JsonSchema): z.ZodType {
    const key = JSON.stringify(schema)
    const known = this.#readers.get(key)
    if (known) return known
    const whole = JSON.stringify({ ...schema, $defs: this.#components }).replaceAll('#/components/schemas/', '#/$defs/')
    const reader = z.fromJSONSchema(JSON.parse(whole))
    this.#readers.set(key, reader)
    return reader
  }
}

/**
 * Returns true if an answer to a USSD request is one that a relay without agents gives: the device is offline, or the
 * network does not answer.
 */
function isAboutDevice(operation: Operation | undefined, status: number): boolean {
  return operation?.operationId === 'postDevicesByIdUssd' && (status === 503 || status === 504)
}

const PROBLEM: JsonSchema = { $ref: '#/components/schemas/Problem' }
