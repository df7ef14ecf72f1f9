import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { thisMachine } from './find-places.ts'
import { watchDevices } from './watch-devices.ts'

let folder: string
let changes = 0
let stop: () => void

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'smsgw-devices-'))
  for (const name of ['dev', 'ports']) mkdirSync(join(folder, name))
  changes = 0
  const paths = ['ports/one', 'ports/two', 'dev/listed'].map((name) => join(folder, name))
  stop = watchDevices(
    { auto: false, addresses: [...paths, 'tcp://localhost:7000'] },
    () => {
      changes += 1
    },
    { ...thisMachine, devices: join(folder, 'dev') },
  )
})

afterEach(() => {
  stop()
  rmSync(folder, { recursive: true })
})

test.each(['ports/one', 'ports/two', 'dev/listed', 'dev/other'])('reports the appearance of %s once', async (name) => {
  write(name)
  await expectChanges(1)
})

test('ignores another file beside a listed device, and writes to a device', async () => {
  write('ports/other')
  await expectChanges(0)
  write('dev/other')
  await expectChanges(1)
  write('dev/other')
  await expectChanges(1)
})

function write(name: string): void {
  writeFileSync(join(folder, name), '')
}

/** Waits for the changes, and then a moment longer, in which a wrong one would arrive. */
async function expectChanges(count: number): Promise<void> {
  await expect.poll(() => changes).toBe(count)
  await sleep(100)
  expect(changes).toBe(count)
}
