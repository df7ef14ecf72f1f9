import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { Gateway, newFolder } from './house/gateway.ts'
import { House } from './house/house.ts'
import { freePort } from './house/machine/free-port.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { residentMiB } from './house/machine/memory.ts'
import { HouseProcess, logged } from './house/machine/process.ts'

const NUMBER = '+447400123456'
const DOMAIN = 'sms.example.org'
/** `BRIDGE_MESSAGES=1000` makes the test longer. */
const COUNT = Number(process.env['BRIDGE_MESSAGES'] ?? 100)

/** Sends one mail. Returns the final answer. Rejects if the connection ends before that. */
async function send(port: number, { id, text }: { readonly id: string; readonly text: string }): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const answer = async () => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('the connection ended')
      if (/^\d{3} /.test(value)) return value as string
    }
  }
  const say = async (line: string) => {
    socket.write(`${line}\r\n`)
    return answer()
  }
  try {
    await connected(socket)
    await answer()
    for (const line of ['EHLO test', 'MAIL FROM:<anna@example.org>', `RCPT TO:<${NUMBER}@${DOMAIN}>`, 'DATA']) {
      const said = await say(line)
      if (!/^[23]/.test(said)) return said
    }
    return await say(`Message-ID: <${id}@example.org>\r\n\r\n${text}\r\n.`)
  } finally {
    socket.destroy()
  }
}

async function connected(socket: Socket): Promise<void> {
  await once(socket, 'connect')
  // Ignores the error, because the loop over the lines ends with the connection.
  socket.on('error', () => socket.destroy())
}

/**
 * Sends a mail as a mail server does: repeats it after an interruption or a temporary refusal, until there is an
 * answer.
 */
async function deliver(port: number, mail: { readonly id: string; readonly text: string }): Promise<string> {
  return eventually(
    () => send(port, mail).catch(() => '421'),
    (answer) => !answer.startsWith('4'),
    300_000,
  )
}

test('every mail is sent once, although bridge, relay and PostgreSQL are killed while mails are sent', async () => {
  const house = await House.start({ agent: { MESSAGE_LIFE_SECONDS: '3600' } })
  const port = await freePort()
  const settings = {
    SMSGW_URL: house.relayUrl,
    SMSGW_USERNAME: house.user.username,
    SMSGW_PASSWORD: house.user.password,
    DATA_DIR: join(house.folder, 'bridge'),
    SMTP_PORT: String(port),
    SMTP_DOMAIN: DOMAIN,
    SMTP_ALLOW_CIDRS: '127.0.0.0/8',
  }
  mkdirSync(settings.DATA_DIR)
  const startBridge = () => new HouseProcess('bridge', mainScripts.bridge, ['run'], settings)
  let bridge = startBridge()
  try {
    await bridge.said(logged('SMTP server listening'))
    const texts = Array.from({ length: COUNT }, (_, at) => `mail ${at}`)
    let accepted = 0
    const delivering = (async () => {
      for (const text of texts) {
        expect(await deliver(port, { id: text.replace(' ', '-'), text })).toMatch(/^250 /)
        accepted += 1
      }
    })()
    for (const round of [1, 2, 3]) {
      await eventually(
        () => accepted,
        (count) => count >= (round * COUNT) / 5,
        300_000,
      )
      if (round === 3) house.killDatabase()
      await bridge.kill()
      bridge = startBridge()
      if (round !== 2) continue
      await house.relay.kill()
      await house.restartRelay()
    }
    await delivering
    await eventually(
      () => house.emulator.ledgerLength(),
      (count) => count >= COUNT,
      300_000,
    )
    expect(
      house.emulator
        .ledger()
        .map(({ text }) => text)
        .toSorted(),
    ).toEqual(texts.toSorted())
  } finally {
    await bridge.stop()
    await house.stop()
  }
})

test('ten thousand connections to the SMTP server take little memory, and mail is accepted afterwards', async () => {
  const port = await freePort()
  const folder = newFolder()
  const bridge = new HouseProcess('bridge', mainScripts.bridge, ['run'], {
    // Starts the program as `smsgw` does.
    NODE_OPTIONS: '--max-semi-space-size=2',
    // The API is not needed until a mail is sent.
    ...{ SMSGW_URL: 'http://127.0.0.1:9', SMSGW_API_KEY: 'unused', DATA_DIR: folder },
    ...{ SMTP_PORT: String(port), SMTP_DOMAIN: DOMAIN, SMTP_ALLOW_CIDRS: '127.0.0.0/8' },
  })
  const sockets: Socket[] = []
  try {
    await bridge.said(logged('SMTP server listening'))
    const open = async () => {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => socket.destroy())
      await once(socket, 'connect').catch(() => undefined)
      socket.write(`EHLO test\r\nMAIL FROM:<${'x'.repeat(2_000)}`)
    }
    const before = residentMiB(bridge.pid)
    for (let count = 0; count < 10_000; count += 250) await Promise.all(Array.from({ length: 250 }, open))
    expect(residentMiB(bridge.pid) - before).toBeLessThan(100)
    for (const socket of sockets) socket.destroy()
    // Sends a mail that can be read although the API is unavailable.
    const answer = await eventually(
      () => send(port, { id: 'after', text: 'x' }).catch(() => '421'),
      (line) => !line.startsWith('421'),
    )
    expect(answer).toMatch(/^451 /)
  } finally {
    for (const socket of sockets) socket.destroy()
    await bridge.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a gateway shows in health, status and doctor which channels do not work', async () => {
  const silent = await freePort()
  const gateway = await Gateway.start({
    ...{ SMTP_PORT: String(await freePort()), MAIL_URL: `smtp://127.0.0.1:${silent}`, MAIL_TO: 'office@example.org' },
    MQTT_URL: `mqtt://127.0.0.1:${silent}`,
  })
  try {
    await gateway.untilReady()
    const checks = async () => {
      const { status, checks } = (await (await fetch(`${gateway.url}/health`)).json()) as Health
      return { status, email: checks['bridge:email'], mqtt: checks['bridge:mqtt'] }
    }
    await eventually(checks, ({ email, mqtt }) => email?.status === 'pass' && mqtt?.status === 'warn')
    await gateway.api.ask('POST', '/virtual-phone', { from: NUMBER, text: 'Hello' })
    const { status, email } = await eventually(checks, ({ email }) => email?.status === 'warn')
    expect([status, email?.description]).toEqual(['warn', expect.stringMatching(/^does not work since 20/)])
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200)
    const doctor = new HouseProcess('doctor', mainScripts.gateway, ['doctor'], { DATA_DIR: gateway.folder })
    await doctor.ended()
    expect(doctor.lines.join('\n')).toMatch(/bridge email\b.*mail server unavailable: .*, since 20/)
    expect(doctor.lines.join('\n')).toMatch(/bridge mqtt\b.*MQTT broker unavailable/)
  } finally {
    await gateway.stop()
  }
})

interface Health {
  readonly status: string
  readonly checks: Readonly<Record<string, { readonly status: string; readonly description: string }>>
}

test('a gateway with SMTP_PORT sends mail as SMS for clients with an API key', async () => {
  const port = await freePort()
  const gateway = await Gateway.start({ SMTP_PORT: String(port), SMTP_DOMAIN: DOMAIN })
  try {
    await gateway.untilReady()
    expect(await send(port, { id: 'open', text: 'x' })).toMatch(/^530 /)
    const { json } = await gateway.api.ask('POST', '/keys', { name: 'mail', scopes: ['messages:send'] })
    const curl = spawn('curl', [
      ...['--silent', '--show-error', '--user', `anna:${json.key}`, '--mail-from', 'anna@example.org'],
      ...['--mail-rcpt', `${NUMBER}@${DOMAIN}`, '--upload-file', '-', `smtp://127.0.0.1:${port}`],
    ])
    curl.stdin.end('Subject: Alarm\r\nMessage-ID: <1@example.org>\r\n\r\nDisk full\r\n')
    expect(await once(curl, 'close')).toEqual([0, null])
    const { json: messages } = await gateway.api.ask('GET', '/messages?includeContent=true')
    expect(messages).toHaveLength(1)
    await gateway.api.until(messages[0].id, ({ state }) => state === 'Delivered')
  } finally {
    await gateway.stop()
  }
})
