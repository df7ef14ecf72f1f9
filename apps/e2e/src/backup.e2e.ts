import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiClient, eventually } from './house/api-client.ts'
import { Emulator } from './house/emulator.ts'
import { Gateway, newFolder } from './house/gateway.ts'
import { House } from './house/house.ts'
import { freePort } from './house/machine/free-port.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { postgresBinaries } from './house/machine/postgres-binaries.ts'
import { PostgresServer } from './house/machine/postgres-server.ts'
import { HouseProcess, ROOT } from './house/machine/process.ts'

const isEnded = ({ state }: { readonly state: string }) => ['Sent', 'Delivered', 'Failed'].includes(state)

interface Stream {
  /** The ids of accepted messages by phone number. */
  readonly sent: ReadonlyMap<string, string>
  /** Waits until this number of messages has been accepted from now on. */
  more(count: number): Promise<void>
  stop(): Promise<void>
}

/** How long the modem takes for a message. The messages of a stream come faster, so that some always wait. */
const SLOW = { modem: 'modem0', fault: 'submit-slow', options: { delayMs: 500 } }

/** Sends messages to new numbers until stopped. */
function stream(api: ApiClient, prefix: string): Stream {
  const sent = new Map<string, string>()
  let isOver = false
  const sending = (async () => {
    for (let at = 0; !isOver; at += 1) {
      const destination = `${prefix}${String(at).padStart(4, '0')}`
      sent.set(destination, await api.send({ phoneNumbers: [destination], textMessage: { text: `to ${destination}` } }))
      await sleep(100)
    }
  })()
  return {
    sent,
    async more(count) {
      const wanted = sent.size + count
      await Promise.race([
        eventually(
          () => sent.size,
          (size) => size >= wanted,
        ),
        sending,
      ])
    },
    async stop() {
      isOver = true
      await sending
    },
  }
}

function timesOnAir(emulator: Emulator, destination: string): number {
  return emulator.ledger().filter((line) => line.destination === destination).length
}

describe('a gateway is backed up during traffic, continues for a while, and is lost', () => {
  let folder: string
  let emulator: Emulator
  let gateway: Gateway
  let sent: ReadonlyMap<string, string>
  /** The folder of a complete restore. */
  const whole = newFolder()
  const settings = { IN_DOUBT_SECONDS: '5', IN_DOUBT_HOLD_SECONDS: '1', SUBMIT_UNKNOWN_SECONDS: '60' }

  beforeAll(async () => {
    folder = newFolder()
    emulator = await Emulator.start(folder, [{ number: '+447700900001' }])
    gateway = await Gateway.start({ ...settings, MODEMS: emulator.pty() })
    await gateway.untilReady()
  })

  afterAll(async () => {
    await gateway?.stop()
    await emulator?.process.stop()
    for (const used of [folder, whole]) rmSync(used, { recursive: true, force: true })
  })

  test('makes a consistent backup during traffic', async () => {
    // Makes messages wait at the relay and at the modem.
    await emulator.instruct('set-fault', SLOW)
    const traffic = stream(gateway.api, '+44740011')
    await traffic.more(15)
    await run('npm run backup', [mainScripts.gateway, 'backup', join(folder, 'smsgw.backup')], gateway.folder)
    await traffic.more(15)
    await traffic.stop()
    sent = traffic.sent
    for (const id of sent.values()) await gateway.api.until(id, isEnded)
    await gateway.process.kill()
  })

  test('refuses to restore into a folder that is not empty', async () => {
    const refusal = await failure([mainScripts.gateway, 'restore', join(folder, 'smsgw.backup')], gateway.folder)
    expect(refusal).toContain('is not empty')
  })

  test('after a power cut at any moment of a restore, another restore or the next start completes', async () => {
    const restore = [mainScripts.gateway, 'restore', join(folder, 'smsgw.backup')]
    const [main = '', ...rest] = restore
    const beganAt = performance.now()
    await run('npm run restore', restore, whole)
    const wholeMs = performance.now() - beganAt
    for (const share of [0.5, 0.75, 0.9, 1]) {
      const target = newFolder()
      const cut = new HouseProcess('interrupted restore', main, rest, { DATA_DIR: target })
      await sleep(wholeMs * share)
      await cut.kill()
      const again = new HouseProcess('repeated restore', main, rest, { DATA_DIR: target })
      if ((await again.ended()) !== 0) expect(again.complaints).toContain('is not empty')
      const restored = await Gateway.start({ ...settings, MODEMS: 'virtual' }, { folder: target })
      const { json } = await restored.api.ask('GET', '/devices')
      expect(json, `cut after ${share} of the time`).toHaveLength(1)
      expect(readdirSync(target)).not.toContain('restored')
      await restored.stop()
    }
  })

  test('the restored gateway ends open messages and sends none twice', async () => {
    const before = gateway.folder
    gateway = await Gateway.start({ ...settings, MODEMS: emulator.pty() }, { folder: whole })
    rmSync(before, { recursive: true, force: true })
    await gateway.untilReady()
    let known = 0
    let inDoubt = 0
    for (const [destination, id] of sent) {
      const { status } = await gateway.api.ask('GET', `/messages/${id}`)
      if (status !== 404) {
        known += 1
        const { recipients } = await gateway.api.until(id, isEnded, 200_000)
        if (recipients[0]?.state === 'Failed') inDoubt += 1
        expect([undefined, 'submit_unknown']).toContain(recipients[0]?.errorCode)
      }
      expect(timesOnAir(emulator, destination), destination).toBe(1)
    }
    expect(known).toBeGreaterThanOrEqual(15)
    expect(known).toBeLessThan(sent.size)
    expect(inDoubt).toBeGreaterThan(0)
    const id = await gateway.api.send({ phoneNumbers: ['+447400199999'], textMessage: { text: 'On again' } })
    await gateway.api.until(id, ({ state }) => state === 'Delivered')
  })
})

test('moves a relay from its embedded database to a server while its agent keeps running, without losing or repeating messages', async () => {
  const house = await House.start()
  const folder = join(house.folder, 'server')
  const passwordFile = join(house.folder, 'password')
  const port = await freePort()
  let server: PostgresServer | undefined
  try {
    chmodSync(house.folder, 0o755)
    mkdirSync(folder)
    writeFileSync(passwordFile, 'a password of the server', { mode: 0o644 })
    const options = {
      binaries: postgresBinaries(),
      folder: join(folder, 'postgres'),
      port,
      user: 'smsgw',
      database: 'smsgw',
    }
    server = await PostgresServer.start({ ...options, passwordFile })
    await house.emulator.instruct('set-fault', SLOW)
    const traffic = stream(house.api, '+44740012')
    await traffic.more(15)
    const backup = join(house.folder, 'relay.backup')
    await run('relay -- backup', [mainScripts.relay, 'backup', backup], join(house.folder, 'relay'), house.secrets)
    await traffic.stop()
    await house.relay.stop()
    const url = `postgresql://smsgw:${encodeURIComponent('a password of the server')}@127.0.0.1:${port}/smsgw`
    const there = { ...house.secrets, DATABASE_URL: url }
    await run('relay -- restore', [mainScripts.relay, 'restore', backup], join(house.folder, 'relay'), there)
    await house.restartRelay({ DATABASE_URL: url })
    await house.untilReady()
    let known = 0
    for (const [destination, id] of traffic.sent) {
      const { status } = await house.api.ask('GET', `/messages/${id}`)
      if (status === 404) continue
      known += 1
      const { recipients } = await house.api.until(id, isEnded)
      expect(recipients[0]?.error).toBeUndefined()
      expect(
        await eventually(
          () => timesOnAir(house.emulator, destination),
          (times) => times > 0,
        ),
        destination,
      ).toBe(1)
    }
    expect(known).toBeGreaterThanOrEqual(15)
    expect(await failure([mainScripts.relay, 'restore', backup], join(house.folder, 'relay'), there)).toContain(
      'is not empty',
    )
  } finally {
    await house.agent?.stop()
    await house.relay.stop()
    await server?.stop()
    await house.stop()
  }
})

async function run(name: string, args: readonly string[], dataDir: string, more: Record<string, string> = {}) {
  const [main = '', ...rest] = args
  const process = new HouseProcess(name, main, rest, { DATA_DIR: dataDir, ...more })
  expect(await process.ended(), process.complaints).toBe(0)
}

async function failure(args: readonly string[], dataDir: string, more: Record<string, string> = {}): Promise<string> {
  const [main = '', ...rest] = args
  const process = new HouseProcess('refused', main, rest, { DATA_DIR: dataDir, ...more })
  expect(await process.ended()).toBe(1)
  return process.complaints
}

test('npm run backup and npm run restore run the commands', () => {
  const listed = execFileSync('npm', ['pkg', 'get', 'scripts.backup', 'scripts.restore'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(Object.values(JSON.parse(listed))).toEqual([
    expect.stringMatching(/smsgw\.cjs gateway backup$/),
    expect.stringMatching(/smsgw\.cjs gateway restore$/),
  ])
})
