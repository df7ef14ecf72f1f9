import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { OpenapiDocument } from './openapi-document.ts'

/** Serves the OpenAPI document, readable from any origin because it contains no data of an account. */
export function getOpenapi(document: () => OpenapiDocument): Endpoint {
  let made: OpenapiDocument | undefined
  return endpoint({
    answers: { 200: z.looseObject({ openapi: z.string() }).meta({ description: 'OpenAPI 3.1' }) },
    async handle() {
      made ??= document()
      return { status: 200, body: made, headers: { 'access-control-allow-origin': '*' } }
    },
  })
}
