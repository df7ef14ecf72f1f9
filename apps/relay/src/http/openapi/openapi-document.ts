import { scopes } from '@smsgw/contract/scopes'
import { SESSION_COOKIE } from '@smsgw/contract/session'
import { webhookEnvelope } from '@smsgw/contract/webhook-event'
import type { Route } from '../route.ts'
import { urlsOf } from '../route-urls.ts'
import { ComponentSchemas, type JsonSchema } from './component-schemas.ts'
import { type Operation, operationOf } from './operation.ts'

export interface OpenapiDocument {
  readonly openapi: '3.1.0'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: object
  }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly securitySchemes: object }
}

interface WebhookOperation {
  readonly summary: string
  readonly requestBody: {
    readonly required: true
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly responses: object
}

/** The description of the API, made from the table that serves it and the schemas that validate. */
export function openapiDocument(routes: readonly Route[], version: string): OpenapiDocument {
  const schemas = new ComponentSchemas()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const path = urlsOf(route)[0]?.path ?? route.path
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, schemas) }
  }
  const webhooks = Object.fromEntries(webhookEnvelope.options.map((envelope) => webhookOf(envelope, schemas)))
  const used = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)))
  return {
    openapi: '3.1.0',
    info: { title: 'SMS gateway', version, description: DESCRIPTION, license: LICENSE },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: { schemas: schemas.all(), securitySchemes: SECURITY_SCHEMES },
  }
}

function webhookOf(
  envelope: (typeof webhookEnvelope.options)[number],
  schemas: ComponentSchemas,
): [name: string, webhook: { post: WebhookOperation }] {
  const event = envelope.shape.event.value
  const schema = schemas.add(envelope, 'output')
  return [
    event,
    {
      post: {
        summary: `Told to webhooks that are registered for ${event}`,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'Received; anything else is tried again' } },
      },
    },
  ]
}

const DESCRIPTION =
  'Sends and receives SMS through modems. Paths also answer below `/api`; `/message`, `/device` and `/webhook` are ' +
  'older spellings of the plural. Unknown members are ignored, and an optional one that is null is absent.'

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const TAGS = {
  messages: 'Sending, and what became of it',
  conversations: 'What was said with whom',
  inbox: 'What was received',
  webhooks: 'Being told of events',
  devices: 'Agents and their SIMs',
  settings: 'How an account sends',
  account: 'The account itself',
  auth: 'Tokens',
  tokens: 'Those that were issued',
  session: 'Signing in with a browser',
  statistics: 'How much happened when',
  events: 'What happens, as it happens',
  logs: 'What happened',
  'virtual-phone': 'Phones around a virtual modem, to try things with',
  health: 'Whether the service works',
  discovery: 'What describes the service',
}

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'User name and password of an account: all scopes' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `An access token. Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}`,
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: `A browser that has signed in: all scopes. Over TLS it is called \`__Host-${SESSION_COOKIE}\``,
  },
  refreshToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A refresh token, once' },
}
