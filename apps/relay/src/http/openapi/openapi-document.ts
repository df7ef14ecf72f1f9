import { scopes } from '@smsgw/contract/access/scopes'
import { SESSION_COOKIE } from '@smsgw/contract/access/session'
import { webhookEnvelope } from '@smsgw/contract/webhooks/webhook-event'
import { z } from 'zod'
import { type StaticFile, staticFile, staticFileAnswer } from '../answer/static-file.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Route } from '../route.ts'
import { API_BASE, type RouteUrl, urlsOf } from '../route-urls.ts'
import { ComponentSchemas, type JsonSchema } from './component-schemas.ts'
import { GUIDE } from './guide.ts'
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
  readonly operationId: string
  readonly tags: readonly string[]
  readonly security: Operation['security']
  readonly summary: string
  readonly requestBody: {
    readonly required: true
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>
  }
  readonly responses: object
}

/** Serves the OpenAPI document. Pages of any origin may read it, because it contains no data of an account. */
export function getOpenapi(document: () => OpenapiDocument): Endpoint {
  let file: Promise<StaticFile> | undefined
  return endpoint({
    answers: { 200: z.looseObject({ openapi: z.string() }).meta({ description: 'OpenAPI 3.1' }), 304: null },
    async handle({ headers }) {
      // Serialised once, because writing 300 kB of JSON takes 5 ms.
      file ??= staticFile('openapi.json', Buffer.from(JSON.stringify(document())))
      return staticFileAnswer(await file, headers, {
        'access-control-allow-origin': '*',
        'cache-control': 'no-cache',
      })
    },
  })
}

/** Builds the OpenAPI document from the route table and the schemas of the endpoints. */
export function openapiDocument(routes: readonly Route[], version: string): OpenapiDocument {
  const schemas = new ComponentSchemas()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    if (route.endpoint.facade || route.place === 'mobile') continue
    for (const url of documentedUrls(route)) {
      paths[url.path] = { ...paths[url.path], [route.method.toLowerCase()]: operationOf(route, url, schemas) }
    }
  }
  const webhooks = Object.fromEntries(webhookEnvelope.options.map((envelope) => webhookOf(envelope, schemas)))
  const operations = [
    ...Object.values(paths).flatMap(Object.values<Operation>),
    ...Object.values(webhooks).map(({ post }) => post),
  ]
  const used = new Set(operations.flatMap(({ tags }) => tags))
  return {
    openapi: '3.1.0',
    info: { title: 'SMS gateway', version, description: GUIDE, license: LICENSE },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: { schemas: schemas.all(), securitySchemes: usedSchemes(operations) },
  }
}

/**
 * Builds the OpenAPI document of the API for phones. Another product defines this API, which has its own credentials.
 */
export function mobileDocument(routes: readonly Route[], version: string): OpenapiDocument {
  const schemas = new ComponentSchemas()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of routes) {
    const [url] = route.place === 'mobile' ? urlsOf(route) : []
    if (url === undefined) continue
    const operation = { ...operationOf(route, url, schemas), ...PHONE_CREDENTIALS[`${route.method} ${route.path}`] }
    paths[url.path] = { ...paths[url.path], [route.method.toLowerCase()]: operation }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'SMS gateway: API for phones', version, description: PHONE_GUIDE, license: LICENSE },
    servers: [{ url: '/' }],
    tags: Object.entries(PHONE_TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: {},
    components: {
      schemas: schemas.all(),
      securitySchemes: { basic: SECURITY_SCHEMES.basic, session: SECURITY_SCHEMES.session, ...PHONE_SCHEMES },
    },
  }
}

/** Only what the document uses: a relay without `METRICS_TOKEN` has no operation with `settingToken`. */
function usedSchemes(operations: readonly Pick<Operation, 'security'>[]): object {
  const used = new Set(operations.flatMap(({ security }) => security.flatMap(Object.keys)))
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)))
}

const PHONE_GUIDE =
  'The API of the app SMS Gateway for Android, for phones that are devices of an account. The same paths are also available below `/api/mobile/v1`.'

/** The document lists no credentials for these operations, because they check the credentials themselves. */
const PHONE_CREDENTIALS: Readonly<Record<string, Pick<Operation, 'description' | 'security'>>> = {
  'POST /device': {
    description:
      'Requires Basic authentication, a one-time code as `Authorization: Code <code>`, or the `ENROLMENT_TOKEN` of the relay as bearer. The token in the answer is shown only once.',
    security: [{ basic: [] }, { code: [] }, { privateToken: [] }],
  },
  'GET /device': {
    description: 'Returns the phone that has this token. Without a token, returns only the address of the caller.',
    security: [{}, { phoneToken: [] }],
  },
}

const PHONE_TAGS = {
  device: 'Register a phone and change its record',
  user: 'Account of the phone',
  messages: 'Messages to send, and their states',
  inbox: 'Received messages',
  webhooks: 'Webhooks that the phone itself calls',
  settings: 'Settings of the account',
  events: 'Stream of notices (Server-Sent Events)',
}

const PHONE_SCHEMES = {
  phoneToken: { type: 'http', scheme: 'bearer', description: 'The token that registration returned' },
  code: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Code`, followed by the one-time code of `GET /mobile/v1/user/code`',
  },
  privateToken: { type: 'http', scheme: 'bearer', description: 'The `ENROLMENT_TOKEN` of the relay' },
}

/** Returns the URL at the root and the URL with the main prefix. The description mentions the other URLs. */
function documentedUrls(route: Route): RouteUrl[] {
  const urls = urlsOf(route)
  return ['', API_BASE].flatMap((base) => urls.find((url) => url.base === base) ?? [])
}

function webhookOf(
  envelope: (typeof webhookEnvelope.options)[number],
  schemas: ComponentSchemas,
): [name: string, webhook: { post: WebhookOperation }] {
  const event = envelope.shape.event.value
  const schema = schemas.add(envelope, 'answer')
  return [
    event,
    {
      post: {
        operationId: `on${event.replace(/(?:^|[:-])(\w)/g, (_, first: string) => first.toUpperCase())}`,
        tags: ['webhook-events'],
        security: [{ webhookSignature: [], webhookMac: [] }],
        summary: `Sent to webhooks registered for ${event}`,
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'The event was received. After any other answer, it is sent again' } },
      },
    },
  ]
}

const LICENSE = { name: 'Apache-2.0', identifier: 'Apache-2.0' }

const TAGS = {
  messages: 'Send messages and read their state',
  conversations: 'Messages in both directions by phone number',
  labels: 'Labels of conversations',
  assignees: 'Persons to whom a conversation can be assigned',
  unread: 'Number of unread messages',
  inbox: 'Received messages',
  webhooks: 'Register webhooks and read their deliveries',
  'webhook-events': 'Requests that your webhook receives',
  hooks: 'Accept webhooks from alerting programs and send them as SMS',
  devices: 'Agents with their modems and SIMs',
  settings: 'Settings of the account',
  account: 'Password of the account',
  auth: 'Issue, refresh and revoke tokens',
  keys: 'API keys of programs',
  tokens: 'List issued tokens',
  session: 'Sign in with a browser',
  push: 'Browser notifications',
  statistics: 'Message counts over time',
  events: 'Stream of events',
  logs: 'Log entries of the account',
  'virtual-phone': 'Simulated phones of a virtual modem, for tests',
  health: 'Health of the service',
  discovery: 'API descriptions and public keys',
}

const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'Username and password of an account: all scopes' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: `An access token. Scopes: ${scopes.map((scope) => `\`${scope}\``).join(', ')}`,
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'An API key, with its scopes and limits. Also accepted as bearer token, and as password of Basic authentication with any username',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: `Session of a browser: all scopes. Over TLS the cookie is named \`__Host-${SESSION_COOKIE}\``,
  },
  settingToken: { type: 'http', scheme: 'bearer', description: 'A token from the settings of the service' },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description:
      'Signature of the request in the format of Standard Webhooks; verify it with the secret of the webhook',
  },
  webhookMac: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Signature',
    description: 'Signature of a request to a webhook: hexadecimal HMAC-SHA256 of the body and `X-Timestamp`',
  },
  refreshToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A refresh token, which can be used only once',
  },
}
