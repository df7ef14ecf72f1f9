import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { API_BASE } from '../route-urls.ts'

const link = z.strictObject({ href: z.string(), type: z.string() })

const apiCatalog = z
  .strictObject({
    linkset: z.array(
      z.strictObject({
        anchor: z.string().meta({ description: 'The API that the links describe' }),
        'service-desc': z.array(link).meta({ description: 'Machine-readable descriptions of the API' }),
        'service-doc': z.array(link).meta({ description: 'Descriptions for people' }),
        status: z.array(link),
      }),
    ),
  })
  .meta({ id: 'ApiCatalog', description: 'A link set (RFC 9264)' })

/** Serves the API catalog (RFC 9727) with links to the OpenAPI document, the API reference and the health endpoint. */
export function getApiCatalog(): Endpoint {
  return endpoint({
    answers: { 200: apiCatalog },
    mediaType: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    async handle() {
      return { status: 200, body: CATALOG }
    },
  })
}

const CATALOG: z.output<typeof apiCatalog> = {
  linkset: [
    {
      anchor: API_BASE,
      'service-desc': [{ href: '/openapi.json', type: 'application/vnd.oai.openapi+json;version=3.1' }],
      'service-doc': [{ href: '/docs', type: 'text/html' }],
      status: [{ href: '/health', type: 'application/json' }],
    },
  ],
}
