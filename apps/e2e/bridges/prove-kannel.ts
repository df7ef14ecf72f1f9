import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { eventually } from '../src/house/api-client.ts'
import { credentialsIn } from '../src/house/gateway.ts'
import { freePort } from '../src/house/machine/free-port.ts'
import { mainScripts } from '../src/house/machine/main-scripts.ts'
import { HouseProcess, logged } from '../src/house/machine/process.ts'
import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'

const PASSWORD = 'qx7Ru2dA'
/** The mask of the wanted reports: delivered to the phone, and not delivered. */
const REPORTS = 1 + 2

/** Proves the SMPP server of the bridge with Kannel as client. */
export const kannelProof: BridgeProof = {
  subject: 'kannel',
  packages: ['kannel'],
  steps: [
    [
      'Kannel sends messages in several alphabets, a long one in parts, and gets their delivery reports',
      async (world) => {
        const { number, texts } = await world.newRecipient()
        const kannel = await startKannel(world)
        const long = 'A long text that Kannel sends in several parts. '.repeat(8)
        for (const text of ['Hello € from Kannel', 'Привет', long]) await kannel.send(number, text)
        await eventually(
          () => kannel.requests('/report').map((url) => url.searchParams.get('status')),
          (reports) => new Set(reports).has('1') && reports.filter((status) => status === '1').length >= 3,
          60_000,
        )
        expectTexts(await texts(), ['Hello € from Kannel', 'Привет', long])
      },
    ],
    [
      'Kannel gets received messages',
      async (world) => {
        const kannel = await startKannel(world)
        // A message to this number of the virtual network is answered with the same text.
        await kannel.send('+12025550121', 'Anyone there? £')
        const [received] = await eventually(
          () => kannel.requests('/received'),
          (requests) => requests.length > 0,
          60_000,
        )
        const { from, text } = Object.fromEntries(received?.searchParams ?? [])
        expectTexts([from ?? '', text ?? ''], ['+12025550121', 'Anyone there? £'])
      },
    ],
    [
      'Kannel is refused with a wrong password',
      async (world) => {
        const kannel = await startKannel(world, 'wrongpas')
        const { status } = await kannel.bridge.said(logged('SMPP bind refused'))
        expectTexts([String(status)], ['ESME_RINVPASWD'])
      },
    ],
  ],
}

interface Kannel {
  readonly send: (to: string, text: string) => Promise<void>
  /** The requests that Kannel has sent to a path of the test's server. */
  readonly requests: (path: string) => URL[]
  readonly bridge: HouseProcess
}

async function startKannel(world: ProofWorld, password = PASSWORD): Promise<Kannel> {
  const { bridge, port: smpp } = await startBridge(world)
  const requests: URL[] = []
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? '', 'http://127.0.0.1'))
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  world.onEnd(async () => void server.close())
  const answers = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const [admin, boxes, http] = [await freePort(), await freePort(), await freePort()]
  const file = join(world.folder, `kannel-${admin}.conf`)
  writeFileSync(
    file,
    `group = core
admin-port = ${admin}
admin-password = admin
smsbox-port = ${boxes}
box-allow-ip = 127.0.0.1

group = smsc
smsc = smpp
smsc-id = smsgw
host = 127.0.0.1
port = ${smpp}
smsc-username = kannel
smsc-password = ${password}
system-type = ""
transceiver-mode = true
source-addr-autodetect = true

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${http}

group = sendsms-user
username = any
password = any
concatenation = true
max-messages = 10

group = sms-service
keyword = default
catch-all = true
max-messages = 0
get-url = "${answers}/received?from=%p&text=%b"
`,
  )
  const bearerbox = world.programs.start('bearerbox', 'bearerbox', ['-v', '1', file], world.folder)
  world.onEnd(() => bearerbox.stop())
  const status = async () => (await fetch(`http://127.0.0.1:${admin}/status.txt?password=admin`)).text()
  await eventually(
    () => status().catch(() => ''),
    (text) => text.includes('smsgw'),
    30_000,
  )
  const smsbox = world.programs.start('smsbox', 'smsbox', ['-v', '1', file], world.folder)
  world.onEnd(() => smsbox.stop())
  return {
    bridge,
    requests: (path) => requests.filter(({ pathname }) => pathname === path),
    async send(to, text) {
      const query = new URLSearchParams({
        username: 'any',
        password: 'any',
        from: '12345',
        to,
        text,
        charset: 'UTF-8',
        coding: /^[\0-\x7f€]*$/.test(text) ? '0' : '2',
        'dlr-mask': String(REPORTS),
        'dlr-url': `${answers}/report?status=%d`,
      })
      const answer = await eventually(
        async () => (await fetch(`http://127.0.0.1:${http}/cgi-bin/sendsms?${query}`).catch(() => undefined))?.text(),
        (body) => body !== undefined,
        30_000,
      )
      if (!answer?.startsWith('0:')) throw new Error(`Kannel answered: ${answer}`)
    },
  }
}

/** Starts the bridge as a separate program. */
async function startBridge(world: ProofWorld): Promise<{ readonly bridge: HouseProcess; readonly port: string }> {
  const port = String(await freePort())
  const { username, password } = credentialsIn(world.gateway().folder)
  const bridge = new HouseProcess('bridge', mainScripts.bridge, ['run'], {
    SMSGW_URL: world.gateway().url,
    SMSGW_USERNAME: username,
    SMSGW_PASSWORD: password,
    DATA_DIR: join(world.folder, `smpp-${port}`),
    SMPP_PORT: port,
    SMPP_USERS: `kannel=${PASSWORD}`,
  })
  world.onEnd(() => bridge.stop())
  await bridge.said(logged('following the events'))
  return { bridge, port }
}
