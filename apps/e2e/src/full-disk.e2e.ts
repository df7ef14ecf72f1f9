import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { ApiClient, eventually } from './house/api-client.ts'
import { Emulator } from './house/emulator.ts'
import { credentialsIn } from './house/gateway.ts'
import { freePort } from './house/machine/free-port.ts'
import { mainScripts } from './house/machine/main-scripts.ts'
import { HouseProcess } from './house/machine/process.ts'
import { SmallDisk } from './house/machine/small-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'smsgw-e2e-full-disk-'))
const disk = await SmallDisk.mount()
const logFile = disk === undefined ? '' : join(disk.folder, 'gateway.log')
let gateway: HouseProcess | undefined
let emulator: Emulator | undefined

afterEach(async () => {
  await gateway?.stop()
  await emulator?.process.stop()
})

const dataDisk = await SmallDisk.mount(160)

afterAll(() => {
  disk?.unmount()
  dataDisk?.unmount()
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
    gateway = new HouseProcess('gateway', mainScripts.gateway, [], settings, { logFile })
    const api = await ready(`http://127.0.0.1:${port}`)
    disk?.fill()
    await unplug(emulator, api)
    await eventually(dropped(port), (lines) => lines > 0)
    const id = await api.send({ phoneNumbers: ['+447400123456'], textMessage: { text: 'still here' } })
    await api.until(id, ({ state }) => state === 'Sent' || state === 'Delivered')
    expect(gateway.isOver).toBe(false)
    disk?.empty()
    // Not all changes of an unstable modem are logged.
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
  gateway = new HouseProcess('gateway', mainScripts.gateway, [], settings, { logFile: '/dev/full' })
  await untilReady(`http://127.0.0.1:${port}`)
  await eventually(dropped(port), (lines) => lines > 0)
  expect(gateway.isOver).toBe(false)
})

test.skipIf(dataDisk === undefined)(
  'a full data disk is reported with its free space by health, log, doctor and the 503 answer, until the disk has space again',
  async () => {
    const data = join(dataDisk?.folder ?? '', 'data')
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const settings = { DATA_DIR: data, PORT: String(port), MODEMS: 'virtual', LOG_LEVEL: 'info' }
    gateway = new HouseProcess('gateway', mainScripts.gateway, [], settings)
    await untilReady(url)
    const api = new ApiClient(url, credentialsIn(data))
    await untilSim(api, 'ready')
    const post = () =>
      api.ask('POST', '/messages', { phoneNumbers: ['+447400123456'], textMessage: { text: 'x'.repeat(150) } })
    dataDisk?.fill()
    // Repeats the request, because the first messages may still succeed: a page of a table may have space for a few
    // more.
    const refused = await eventually(post, ({ status }) => status === 503)
    expect(refused.json.message).toMatch(new RegExp(`disk of the database is full: ${data}/database has 0 MB free`))
    const health = await eventually(
      async () => (await fetch(`${url}/health/ready`)).json() as Promise<Health>,
      ({ status }) => status === 'fail',
    )
    expect(health.checks['database:disk']).toMatchObject({
      status: 'fail',
      description: expect.stringContaining(`${data}/database has 0 MB free`),
      observedValue: 0,
      observedUnit: 'MiB',
    })
    await gateway.said((line) => (line.includes(`disk full: ${data}/database has 0 MB free`) ? line : undefined))
    const doctor = new HouseProcess('doctor', mainScripts.agent, ['doctor'], { DATA_DIR: data })
    await doctor.said((line) =>
      /^fail +disk space: /.test(line) && line.includes(`${data} has 0 MB`) ? line : undefined,
    )
    await doctor.stop()

    dataDisk?.empty()
    await untilReady(url)
    await gateway.said((line) => (line.includes(`disk has space again: ${data}/database has `) ? line : undefined))
    const accepted = await eventually(post, ({ status }) => status === 202)
    await api.until(accepted.json.id, ({ state }) => state === 'Sent' || state === 'Delivered')
  },
)

interface Health {
  readonly status: string
  readonly checks: Readonly<Record<string, object>>
}

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

/** Makes the agent log that the modem was disconnected and is available again. */
async function unplug({ instruct }: Emulator, api: ApiClient): Promise<void> {
  await instruct.call(emulator, 'unplug', { modem: 'modem0' })
  await untilSim(api, 'absent')
  await instruct.call(emulator, 'plug', { modem: 'modem0' })
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
