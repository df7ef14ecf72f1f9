import type { HttpRequestOptions, NodeProperty } from './n8n.ts'

const usesKey = { show: { authentication: ['key'] } }
const usesPassword = { show: { authentication: ['password'] } }

/** The account of a gateway or relay. n8n finds the class by its name, which is also the name of the file. */
export class SmsgwApi {
  readonly name = 'smsgwApi'
  readonly displayName = 'SMS Gateway API'
  readonly icon = 'file:smsgw.svg'
  readonly documentationUrl = 'https://www.npmjs.com/package/@smsgw/n8n-nodes-smsgw'
  readonly properties: readonly NodeProperty[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://sms.example.org',
      description: 'Address of the gateway or relay',
    },
    {
      displayName: 'Log In With',
      name: 'authentication',
      type: 'options',
      default: 'key',
      options: [
        { name: 'API Key', value: 'key' },
        { name: 'Username and Password', value: 'password' },
      ],
      description: 'An API key is safer than the password, because it can be limited and revoked',
    },
    {
      displayName: 'API Key',
      name: 'apiKey',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      displayOptions: usesKey,
      description:
        'Create it in the console under API keys. Sending needs the scope messages:send; the trigger needs webhooks:list, webhooks:write and webhooks:delete',
    },
    { displayName: 'Username', name: 'username', type: 'string', default: '', displayOptions: usesPassword },
    {
      displayName: 'Password',
      name: 'password',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      displayOptions: usesPassword,
    },
  ]

  /** Every API key may read its own scopes, so this request tests the credentials. */
  readonly test = {
    request: { baseURL: '={{$credentials.url.replace(/\\/+$/, "")}}', url: '/3rdparty/v1/session' },
  }

  /** Adds the account to requests of other nodes, such as HTTP Request. */
  authenticate = async (
    { authentication, apiKey, username, password }: Readonly<Record<string, unknown>>,
    options: HttpRequestOptions,
  ): Promise<HttpRequestOptions> => {
    const basic = () => `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
    const authorization = authentication === 'password' ? basic() : `Bearer ${apiKey}`
    return { ...options, headers: { ...options.headers, authorization } }
  }
}
