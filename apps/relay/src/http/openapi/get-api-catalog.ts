import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { API_BASE } from '../route-urls.ts'

/** RFC 9727: where the descriptions of this API are. */
export function getApiCatalog(): Endpoint {
  return endpoint({
    answers: { 200: z.string().meta({ description: 'A link set of RFC 9264' }) },
    mediaType: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    async handle() {
      return { status: 200, body: CATALOG, headers: { link: '</.well-known/api-catalog>; rel="api-catalog"' } }
    },
  })
}

const CATALOG = JSON.stringify({
  linkset: [
    {
      anchor: API_BASE,
      'service-desc': [{ href: '/openapi.json', type: 'application/vnd.oai.openapi+json;version=3.1' }],
      'service-doc': [{ href: '/docs', type: 'text/html' }],
      status: [{ href: '/health', type: 'application/json' }],
    },
  ],
})
