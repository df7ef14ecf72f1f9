import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { OpenapiDocument } from '../openapi/openapi-document.ts'
import { renderDocs } from './render-docs.ts'
import { STYLE } from './style.ts'

/** The description for people. */
export function getDocs(document: () => OpenapiDocument): Endpoint {
  let page: string | undefined
  return endpoint({
    answers: { 200: z.string().meta({ description: 'A page to read' }) },
    mediaType: 'text/html; charset=utf-8',
    async handle() {
      page ??= renderDocs(document(), STYLE)
      return { status: 200, body: page, headers: { 'content-security-policy': POLICY } }
    },
  })
}

/** Nothing but its one style sheet, known by its hash. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
