import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from './house/api-client.ts'
import { Emulator } from './house/emulator.ts'
import { credentialsIn, Gateway, newFolder, npmStart, preparedFolder } from './house/gateway.ts'
import { freePort } from './house/machine/free-port.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { descendant, gatewayMemory } from './house/machine/memory.ts'
import { TerminalProcess } from './house/machine/terminal-process.ts'

const run = promisify(execFile)

describe('npm start on a fresh machine', () => {
  let folder: string
  let gateway: Gateway
  let sentId: string

  beforeAll(() => {
    folder = newFolder()
  })

  afterAll(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('prints its progress, its URL, the file of the password, and its modem', async () => {
    gateway = await Gateway.start({ MODEMS: 'auto' }, { folder, command: npmStart })
    const said = gateway.process.lines.join('\n')
    expect(said).toContain(`Data folder: ${folder}`)
    expect(said).toMatch(/searching for modems …(?:.|\n)*creating the database \(first start only\) …/)
    expect(said).toContain(`password stored in ${join(folder, 'credentials.json')}`)
    // The output is not a terminal and may be stored, so the password is not printed.
    expect(said).not.toContain(credentialsIn(folder).password)
    expect(said).toContain('VIRTUAL MODEM')
    for (const name of ['credentials.json', 'server-secret'])
      expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0)
  })

  test('the printed curl command sends a message', async () => {
    sentId = await sendBy(printedCurl(gateway))
    await gateway.api.until(sentId, ({ state }) => state === 'Delivered')
  })

  test('uses less than 250 MiB with its database', () => {
    const { ownMiB, databaseMiB } = gatewayMemory(gatewayPid(gateway))
    process.stdout.write(`gateway ${ownMiB} MiB, its PostgreSQL ${databaseMiB} MiB\n`)
    expect(ownMiB + databaseMiB).toBeLessThan(250)
  })

  test('refuses a second start with the same data folder, and prints one line with the number of the running process', async () => {
    const second = npmStart({ DATA_DIR: folder, PORT: '0', MODEMS: 'virtual' })
    expect(await second.ended()).toBe(1)
    const complaints = second.complaints.split('\n').filter((line) => line.startsWith('smsgw:'))
    expect(complaints).toEqual([
      `smsgw: ${folder} is in use by process ${gatewayPid(gateway)}: stop that process, or set DATA_DIR to another folder`,
    ])
  })

  test('exits with 0 on SIGTERM; after the next start, all data is available, and the printed curl command omits the password', async () => {
    process.kill(gatewayPid(gateway), 'SIGTERM')
    expect(await gateway.process.ended()).toBe(0)
    const before = credentialsIn(folder)
    gateway = await Gateway.start({ MODEMS: 'auto' }, { folder, command: npmStart })
    const said = gateway.process.lines.join('\n')
    expect(said).toContain('starting the database …')
    expect(said).not.toContain(before.password)
    expect(credentialsIn(folder)).toEqual(before)
    expect((await gateway.api.message(sentId)).state).toBe('Delivered')
    const id = await sendBy(printedCurl(gateway))
    await gateway.api.until(id, ({ state }) => state === 'Delivered')
  })
})

test('a terminal shows the password at the first start that succeeds, and then never again', async () => {
  const folder = preparedFolder()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const start = (ownPort: number) =>
    new TerminalProcess(mainScripts.gateway, [], { DATA_DIR: folder, MODEMS: 'virtual', PORT: String(ownPort) })
  const refused = start(port)
  expect(await refused.ended()).toBe(1)
  const { password } = credentialsIn(folder)
  expect(refused.screen).not.toContain(password)
  for (const shown of [true, false]) {
    const gateway = start(0)
    await gateway.shows('Ctrl-C')
    expect(gateway.screen.includes(password)).toBe(shown)
    gateway.type('\x03')
    await gateway.ended()
  }
  other.close()
  rmSync(folder, { recursive: true, force: true })
})

test('loses and repeats no message when killed and restarted 100 ms later, ten times', async () => {
  const folder = preparedFolder()
  const emulator = await Emulator.start(folder, [{ number: '+447700900001' }])
  // The gateway restarts on the same port, which must be free again at once. The time that a message stays in doubt is
  // shortened, but not skipped.
  const settings = { MODEMS: emulator.pty(), IN_DOUBT_SECONDS: '10', IN_DOUBT_HOLD_SECONDS: '2' }
  let gateway = await Gateway.start({ ...settings, PORT: String(await freePort()) }, { folder })
  const port = new URL(gateway.url).port
  const sent = new Map<string, string>()
  try {
    for (let round = 0; round < 10; round += 1) {
      for (let at = 0; at < 5; at += 1) {
        const destination = `+4474001${String(round * 5 + at).padStart(5, '0')}`
        const text = `round ${round}, message ${at}`
        sent.set(await gateway.api.send({ phoneNumbers: [destination], textMessage: { text } }), destination)
      }
      await emulator.instruct('send-text', { from: '+447400900001', to: 'modem0', text: `in ${round}` })
      // Kills the gateway at another moment each time.
      await sleep(round * 70)
      await gateway.process.kill()
      await sleep(100)
      gateway = await Gateway.start({ ...settings, PORT: port }, { folder })
    }
    for (const [id, destination] of sent) {
      const { recipients } = await gateway.api.until(id, isEnded)
      const onAir = emulator.ledger().filter((line) => line.destination === destination).length
      if (recipients[0]?.errorCode === 'submit_unknown') expect(onAir, id).toBeLessThanOrEqual(1)
      else expect(onAir, `${id}: ${recipients[0]?.error}`).toBe(1)
    }
    const inbox = await eventually(
      async () => (await gateway.api.ask('GET', '/inbox?limit=100')).json as { text: string }[],
      ({ length }) => length >= 10,
    )
    expect(inbox.map(({ text }) => text).sort()).toEqual(Array.from({ length: 10 }, (_, round) => `in ${round}`))
  } finally {
    await gateway.process.stop()
    await emulator.process.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

function isEnded({ state }: { readonly state: string }): boolean {
  return ['Sent', 'Delivered', 'Failed'].includes(state)
}

/** The gateway is a descendant of npm, behind a shell and the bootstrap. */
function gatewayPid({ process }: Gateway): number {
  const pid = descendant(process.pid, mainScripts.gateway)
  if (pid === undefined) throw new Error('npm start runs no gateway')
  return pid
}

/** The line as printed. */
function printedCurl({ process }: Gateway): string {
  const from = process.lines.findIndex((line) => line.trim().startsWith('curl '))
  const to = process.lines.findIndex((line, at) => at >= from && !line.endsWith('\\'))
  return process.lines.slice(from, to + 1).join('\n')
}

async function sendBy(curl: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', curl.replace('curl ', 'curl --silent --show-error ')])
  return JSON.parse(stdout).id
}
