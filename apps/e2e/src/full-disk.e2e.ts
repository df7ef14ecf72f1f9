import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ApiClient, eventually } from './house/api-client.ts'
import { Emulator } from './house/emulator.ts'
import { freePort } from './house/free-port.ts'
import { credentialsIn } from './house/gateway.ts'
import { HouseProcess } from './house/process.ts'
import { SmallDisk } from './house/small-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-e2e-full-disk-'))
const disk = await SmallDisk.mount()
const logFile = disk === undefined ? '' : join(disk.folder, 'gateway.log')
let gateway: HouseProcess | undefined
let emulator: Emulator | undefined

afterEach(async () => {
  await gateway?.stop()
  await emulator?.process.stop()
})

afterAll(() => {
  disk?.unmount()
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(disk === undefined)(
  'a gateway whose log disk is full keeps running and counts the dropped lines',
  async () => {
    emulator = await Emulator.start(folder)
    const port = await freePort()
    const settings = {
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      MODEMS: emulator.pty(),
      METRICS_TOKEN: token,
    }
    gateway = new HouseProcess('gateway', 'apps/gateway/src/main.ts', [], settings, { logFile })
    const api = await ready(`http://127.0.0.1:${port}`)
    disk?.fill()
    await unplug(emulator, api)
    await eventually(dropped(port), (lines) => lines > 0)
    const id = await api.send({ phoneNumbers: ['+447400123456'], textMessage: { text: 'still here' } })
    await api.until(id, ({ state }) => state === 'Sent' || state === 'Delivered')
    expect(gateway.isOver).toBe(false)
    disk?.empty()
    // Changes of an unstable modem are not all logged.
    for (let unplugged = 0; unplugged < 15 && resumed().length === 0; unplugged += 1) await unplug(emulator, api)
    expect(resumed()[0]).toMatchObject({
      level: 'warn',
      dropped: expect.any(Number),
      reason: expect.stringContaining('ENOSPC'),
    })
  },
)

test('a log device that is full from the start does not stop the gateway', async () => {
  const port = await freePort()
  const settings = { DATA_DIR: join(folder, 'other'), PORT: String(port), MODEMS: 'virtual', METRICS_TOKEN: token }
  gateway = new HouseProcess('gateway', 'apps/gateway/src/main.ts', [], settings, { logFile: '/dev/full' })
  await untilReady(`http://127.0.0.1:${port}`)
  await eventually(dropped(port), (lines) => lines > 0)
  expect(gateway.isOver).toBe(false)
})

const token = 'the token of the metrics'

async function untilReady(url: string): Promise<void> {
  await eventually(
    () => fetch(`${url}/health/ready`).catch(() => undefined),
    (answer) => answer?.status === 200,
  )
}

async function ready(url: string): Promise<ApiClient> {
  await untilReady(url)
  const api = new ApiClient(url, credentialsIn(join(folder, 'data')))
  await untilSim(api, 'ready')
  return api
}

/** Makes the agent log that the modem was disconnected and is back. */
async function unplug({ instruct }: Emulator, api: ApiClient): Promise<void> {
  await instruct.call(emulator, 'unplug', { modem: 'modem0', forMs: 3_000 })
  await untilSim(api, 'absent')
  await untilSim(api, 'ready')
}

async function untilSim(api: ApiClient, wanted: string): Promise<void> {
  await eventually(
    async () => (await api.ask('GET', '/devices').catch(() => undefined))?.json?.[0]?.simCards?.[0]?.state,
    (state) => state === wanted,
  )
}

function dropped(port: number): () => Promise<number> {
  return async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { authorization: `Bearer ${token}` } })
    return Number(/^smsgw_log_lines_dropped_total (\d+)$/m.exec(await answer.text())?.[1])
  }
}

function resumed(): readonly unknown[] {
  const lines = readFileSync(logFile, 'utf8').split('\n')
  return lines.filter((line) => line.includes('log lines were dropped')).map((line) => JSON.parse(line))
}
