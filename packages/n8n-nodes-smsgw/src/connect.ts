import { SmsGateway } from '@smsgw/client'
import type { NodeFunctions } from './n8n.ts'

/** Returns a client with the credentials of a node. */
export async function connect(
  functions: NodeFunctions,
): Promise<{ readonly client: SmsGateway; readonly url: string }> {
  const credentials = await functions.getCredentials('smsgwApi')
  const text = (name: string) => String(credentials[name] ?? '').trim()
  const url = text('url')
  if (!URL.canParse(url))
    throw new Error(`the URL "${url}" of the credentials is not valid: use one such as https://sms.example.org`)
  const account =
    text('authentication') === 'password'
      ? { username: text('username'), password: String(credentials['password'] ?? '') }
      : { apiKey: text('apiKey') }
  return { client: new SmsGateway({ url, credentials: account }), url }
}
