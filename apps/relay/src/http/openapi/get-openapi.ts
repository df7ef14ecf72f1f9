import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { OpenapiDocument } from './openapi-document.ts'

/** Anybody may read it, from anywhere: it holds nothing of any account. */
export function getOpenapi(document: () => OpenapiDocument): Endpoint {
  let text: string | undefined
  return endpoint({
    answers: { 200: z.string().meta({ description: 'OpenAPI 3.1' }) },
    mediaType: 'application/json',
    async handle() {
      text ??= JSON.stringify(document())
      return { status: 200, body: text, headers: { 'access-control-allow-origin': '*' } }
    },
  })
}
