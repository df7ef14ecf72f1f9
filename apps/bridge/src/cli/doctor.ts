import { readFileSync } from 'node:fs'
import { SmsGateway } from '@smsgw/client'
import type { SmsGatewayError } from '@smsgw/client/errors'
import { connectAsync } from 'mqtt'
import { APPRISE, appriseVersion, isForApprise } from '../chat/chat-sender.ts'
import type { BridgeConfig } from '../config.ts'
import { brokerAddress } from '../mqtt/broker.ts'

interface Check {
  readonly name: string
  /** Returns the result of the check. Throws an error that describes the problem. */
  readonly run: () => Promise<string>
  readonly advice: string
}

/** Checks both sides of the bridge and prints one line for each check. Returns the exit code. */
export async function checkBridge(config: BridgeConfig, write: (text: string) => void): Promise<number> {
  let failures = 0
  for (const { name, run, advice } of [
    ...apiChecks(config),
    ...brokerChecks(config),
    ...mailChecks(config),
    ...chatChecks(config),
    ...smppChecks(config),
  ]) {
    try {
      write(`ok       ${name}: ${await run()}\n`)
    } catch (error) {
      failures += 1
      write(`problem  ${name}: ${(error as Error).message}\n         ${advice}\n`)
    }
  }
  return failures === 0 ? 0 : 1
}

const TIMEOUT_MS = 10_000

function apiChecks({ SMSGW_URL: url, credentials }: BridgeConfig): Check[] {
  const api = new SmsGateway({ url, credentials, maxRetries: 0, timeoutMs: TIMEOUT_MS })
  const scope = (name: string) => `create an API key with the scope ${name}, and check SMSGW_URL and SMSGW_API_KEY`
  return [
    {
      name: 'devices',
      run: async () => `${(await api.devices.list()).length} at ${url}`,
      advice: scope('devices:list'),
    },
    {
      name: 'inbox',
      run: async () => `readable, ${(await api.inbox.list({ limit: 1 }).page()).total ?? 0} messages`,
      advice: scope('inbox:list'),
    },
    { name: 'sending', run: () => checkSending(api), advice: scope('messages:send') },
  ]
}

/** Checks the scope with a message without recipients, which the API refuses only after it has checked the scope. */
async function checkSending(api: SmsGateway): Promise<string> {
  const refusal = await api.messages.send({ phoneNumbers: [] }).catch((error: SmsGatewayError) => error)
  if ('status' in refusal && refusal.status === 400) return 'allowed'
  throw refusal
}

function brokerChecks({ channels: { mqtt } }: BridgeConfig): Check[] {
  if (mqtt === undefined) return []
  const { host } = new URL(mqtt.MQTT_URL)
  return [
    {
      name: 'MQTT broker',
      async run() {
        const ca = mqtt.MQTT_CA_FILE === undefined ? undefined : readFileSync(mqtt.MQTT_CA_FILE, 'utf8')
        const options = { ...brokerAddress(mqtt.MQTT_URL, ca), reconnectPeriod: 0, connectTimeout: TIMEOUT_MS }
        const client = await connectAsync(options)
        await client.endAsync()
        return `connected to ${host}`
      },
      advice: 'check MQTT_URL, username and password, and that the broker supports MQTT 5',
    },
  ]
}

function chatChecks({ channels: { chat } }: BridgeConfig): Check[] {
  if (!chat?.CHAT_URLS.some(isForApprise)) return []
  return [
    {
      name: 'apprise',
      run: () => appriseVersion(APPRISE),
      advice: 'install apprise with `apt install apprise`, or use https:// addresses of webhooks in CHAT_URLS',
    },
  ]
}

function mailChecks({ channels: { email } }: BridgeConfig): Check[] {
  const url = email?.MAIL_URL
  if (url === undefined) return []
  return [
    {
      name: 'mail server',
      async run() {
        const { checkMailServer } = await import('../email/outgoing-mail.ts')
        await checkMailServer(url)
        return `accepts mail at ${new URL(url).host}`
      },
      advice: 'check MAIL_URL, username and password',
    },
  ]
}

function smppChecks({ channels: { smpp } }: BridgeConfig): Check[] {
  if (smpp === undefined) return []
  const check = (name: string, port: number | undefined, isTls: boolean): Check[] => {
    if (port === undefined) return []
    const run = async () => {
      const { checkSmppServer } = await import('../smpp/check-smpp-server.ts')
      return await checkSmppServer({ host: smpp.SMPP_HOST, port, isTls })
    }
    return [{ name, run, advice: 'check SMPP_HOST and SMPP_ALLOW_CIDRS, and that no other program uses the port' }]
  }
  return [...check('SMPP server', smpp.SMPP_PORT, false), ...check('SMPP server with TLS', smpp.SMPP_TLS_PORT, true)]
}
