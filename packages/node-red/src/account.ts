import { SmsGateway } from '@smsgw/client'
import type { AdminRequest, FlowNode, NodeRed } from './node-red.ts'
import { errorText } from './problem-text.ts'

interface AccountConfig {
  readonly url: string
  readonly authentication: 'key' | 'password'
}

interface AccountSecrets {
  readonly apiKey?: string
  readonly username?: string
  readonly password?: string
}

/** The configuration node of one gateway or relay. The other nodes use its client. */
export interface Account extends FlowNode {
  url: string
  readonly credentials: AccountSecrets | undefined
  /** Throws if the settings are incomplete. */
  client: () => SmsGateway
}

const TYPE = 'smsgw-account'
/** The editor shows this text instead of a stored password. */
const STORED = '__PWRD__'

export function registerAccount(red: NodeRed): void {
  function AccountNode(this: Account, config: AccountConfig): void {
    red.nodes.createNode(this, config)
    this.url = config.url
    let client: SmsGateway | undefined
    this.client = () => {
      client ??= clientOf(config, this.credentials ?? {})
      return client
    }
  }
  red.nodes.registerType(TYPE, AccountNode, {
    credentials: { apiKey: { type: 'password' }, username: { type: 'text' }, password: { type: 'password' } },
  })
  // The button "Test the connection" of the editor.
  red.httpAdmin.post('/smsgw/test', red.auth.needsPermission(`${TYPE}.write`), (request, response) => {
    testConnection(red, request).then(
      (result) => response.json(result),
      (error: unknown) => response.json({ problem: errorText(error) }),
    )
  })
}

/** Returns the account of a node. Throws if no account is chosen. */
export function accountOf(red: NodeRed, id: string): Account {
  const account = red.nodes.getNode(id) as Account | null | undefined
  if (account == null) throw new Error('no account: open the node and choose the account of a gateway')
  return account
}

function clientOf({ url, authentication }: AccountConfig, secrets: AccountSecrets): SmsGateway {
  if (!URL.canParse(url ?? ''))
    throw new Error(`the URL "${url ?? ''}" is not valid: use one such as http://192.168.1.10:3000`)
  const { apiKey = '', username = '', password = '' } = secrets
  return new SmsGateway({ url, credentials: authentication === 'password' ? { username, password } : { apiKey } })
}

/** The current settings in the dialog. */
interface TestRequest extends AccountConfig, AccountSecrets {
  readonly id: string
}

async function testConnection(red: NodeRed, { body }: AdminRequest): Promise<object> {
  const { id, ...entered } = body as TestRequest
  const stored = red.nodes.getNode(id) as Account | null | undefined
  // Stored secrets are sent only to the address that was entered with them.
  const kept = stored != null && stored.url === entered.url ? stored.credentials : undefined
  const secret = (name: 'apiKey' | 'password') => (entered[name] === STORED ? kept?.[name] : entered[name]) ?? ''
  const usesStored = entered[entered.authentication === 'password' ? 'password' : 'apiKey'] === STORED
  if (usesStored && kept === undefined) throw new Error('enter the key or password again, because the URL has changed')
  const secrets = { ...entered, apiKey: secret('apiKey'), password: secret('password') }
  const { body: session } = await clientOf(entered, secrets).request<Session>({ method: 'GET', path: '/session' })
  return { account: session.username, scopes: session.scopes }
}

interface Session {
  readonly username: string
  readonly scopes: readonly string[]
}
