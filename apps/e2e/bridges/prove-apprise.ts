import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { eventually } from '../src/house/api-client.ts'
import { credentialsIn } from '../src/house/gateway.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { logged } from '../src/house/machine/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'

const hostOf = ({ gateway }: ProofWorld) => new URL(gateway().url).host

/** Proves Apprise, which sends through the APIs of SMSEagle and through any JSON interface. */
export const appriseProof: BridgeProof = {
  subject: 'apprise',
  packages: ['apprise'],
  steps: [
    [
      'sends with smseagle://',
      async (world) => {
        const { key, number, texts } = await world.newRecipient()
        const { status, output } = apprise(
          world,
          ['-b', 'Disk full, ü €'],
          `smseagle://${key}@${hostOf(world)}/${number}`,
        )
        if (status !== 0) throw new Error(output)
        expectTexts(await texts(), ['Disk full, ü €'])
      },
    ],
    [
      'reports a number that the key may not send to',
      async (world) => {
        const { key, texts } = await world.newRecipient()
        const { status, output } = apprise(world, ['-b', 'hi'], `smseagle://${key}@${hostOf(world)}/+447400199999`)
        if (status === 0 || !output.includes('the key is limited to other recipients'))
          throw new Error(`${status} ${output}`)
        expectTexts(await texts(), [])
      },
    ],
    [
      'reports a wrong key',
      async (world) => {
        const { number, texts } = await world.newRecipient()
        const { status, output } = apprise(world, ['-b', 'hi'], `smseagle://wrong@${hostOf(world)}/${number}`)
        if (status === 0 || !output.includes('Invalid access token')) throw new Error(`${status} ${output}`)
        expectTexts(await texts(), [])
      },
    ],
    [
      'sends with json://',
      async (world) => {
        const { key, number, texts } = await world.newRecipient()
        // In an Apprise URL, `+` adds a header and `:` adds a member. Apprise does not read `+` as a space.
        const parameters = { '+X-API-Key': key, ':to': number, ':body': 'Disk full' }
        const query = Object.entries(parameters).map((pair) => pair.map(encodeURIComponent).join('='))
        const url = `json://${hostOf(world)}/api/v1/sms/send?${query.join('&')}`
        const { status, output } = apprise(world, ['-b', 'unused'], url)
        if (status !== 0) throw new Error(output)
        expectTexts(await texts(), ['Disk full'])
      },
    ],
    [
      'shows a received message, for the chat bridge',
      async (world) => {
        const shown: string[] = []
        const url = await chatAddress(world, (text) => shown.push(text))
        await startChatBridge(world, url)
        const { status } = await world.gateway().api.ask('POST', '/virtual-phone', {
          from: '+447400155555',
          text: 'Your code is 4711; <b>ü €</b>',
        })
        if (status !== 202 && status !== 201) throw new Error(`the virtual phone answers ${status}`)
        await eventually(
          async () => shown.length,
          (count) => count > 0,
        )
        expectTexts(shown, ['SMS from +447400155555: Your code is 4711; <b>ü €</b>'])
      },
    ],
  ],
}

/** Starts an interface that Apprise can notify. */
async function chatAddress(world: ProofWorld, onText: (text: string) => void): Promise<string> {
  const server = createServer(async (request, response) => {
    onText(((await json(request)) as { readonly message: string }).message)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world.onEnd(async () => void server.close())
  return `json://127.0.0.1:${(server.address() as AddressInfo).port}/chat`
}

/** Starts the bridge with Apprise in its path, and waits until it follows the account. */
async function startChatBridge({ programs, gateway, folder, onEnd }: ProofWorld, url: string): Promise<void> {
  const { username, password } = credentialsIn(gateway().folder)
  const settings = {
    SMSGW_URL: gateway().url,
    SMSGW_USERNAME: username,
    SMSGW_PASSWORD: password,
    DATA_DIR: join(folder, 'chat-bridge'),
    CHAT_URLS: url,
  }
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  const main = mainScripts.bridge
  const bridge = programs.start('bridge', 'env', [...variables, process.execPath, main, 'run'], folder)
  onEnd(() => bridge.stop())
  await bridge.said(logged('following the events of the account'))
}

function apprise({ programs }: ProofWorld, args: readonly string[], url: string) {
  return programs.run('apprise', ['-vv', ...args, url])
}
