import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { problem } from '@smsgw/contract/fields/problem'
import { pathText } from '@smsgw/contract/fields/problem-words'
import type { Answer } from '../endpoint.ts'
import type { Route } from '../route.ts'
import { answerStatuses } from './answer-statuses.ts'

/** Throws when the status or the body of an answer does not match its route. */
export function checkAnswer(route: Route, { status, body, stream }: Answer): void {
  const name = `${route.method} ${route.path} answered ${status}`
  if (!answerStatuses(route).includes(status)) throw new Error(`${name}, which its route does not declare`)
  if (stream || body instanceof Readable) return
  const declared = route.endpoint.answers[status]
  const schema = declared === undefined ? problem : declared
  if (schema === null) {
    if (body !== undefined) throw new Error(`${name} with a body, but its route declares none`)
    return
  }
  const result = schema.safeParse(sentBody(body, route))
  if (result.success) return
  const problems = result.error.issues.map(({ path, message }) => `${pathText(path)}: ${message}`)
  throw new Error(`${name}, but the body does not match its schema: ${problems.join('; ')}`)
}

/** Returns the body in the form in which it is sent, without undefined members. */
function sentBody(body: unknown, { endpoint }: Route): unknown {
  if (typeof body === 'string') return body
  // An endpoint that always sends JSON may serialise an unchanging body once.
  if (body instanceof Uint8Array && endpoint.mediaType === undefined) return JSON.parse(plainText(body))
  return JSON.parse(JSON.stringify(body ?? null))
}

function plainText(bytes: Uint8Array): string {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b
  return (isCompressed ? gunzipSync(bytes) : Buffer.from(bytes)).toString()
}
