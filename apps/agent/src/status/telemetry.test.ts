import { readTelemetry } from '@smsgw/contract/link/telemetry'
import { expect, test } from 'vitest'
import { VirtualFleet } from '../testing/virtual-fleet.ts'
import { telemetrySample } from './telemetry.ts'

const imei = '356938035648091'

test('a sample is plain JSON without phone number, ICCID or IMEI', async () => {
  const world = new VirtualFleet()
  world.plug('1-1', [world.modem(imei)])
  const fleet = await world.start()
  await world.pass(20_000)
  const sample = telemetrySample(fleet.health, { queue: { open: 3 } })
  expect(JSON.parse(JSON.stringify(sample))).toEqual(sample)
  expect(sample).toMatchObject({
    queue: { open: 3 },
    modems: [
      {
        simNumber: 1,
        port: '1-1:0',
        state: 'ready',
        model: 'Quectel EC25',
        imeiEnd: '8091',
        operator: expect.any(String),
        registration: 'home',
        technology: expect.any(String),
        signalDbm: expect.any(Number),
        storage: { ME: { used: 0, total: 255 } },
        dialogue: { state: 'in-step', waiting: 0, timeouts: 0 },
        recovery: { state: 'healthy', resetsLeft: 3, steps: [] },
      },
    ],
  })
  // The relay parses samples with the same function.
  expect(readTelemetry(sample)).toMatchObject({
    queue: { open: 3 },
    modems: [
      {
        simNumber: 1,
        state: 'ready',
        manufacturer: 'Quectel',
        model: 'Quectel EC25',
        imeiEnd: '8091',
        operator: expect.any(String),
        registration: 'home',
        technology: expect.any(String),
        signal: expect.any(Number),
        signalDbm: expect.any(Number),
        storage: { ME: { used: 0, total: 255 } },
        recovery: { steps: [] },
      },
    ],
  })
  const text = JSON.stringify(sample)
  for (const secret of [imei, imei.slice(0, 14), '+4477', '8944110000']) expect(text).not.toContain(secret)
})

test('a sample contains the recovery steps of a modem', async () => {
  const world = new VirtualFleet()
  const modem = world.modem(imei)
  world.plug('1-1', [modem])
  const fleet = await world.start()
  await world.pass(20_000)
  modem.faults.set('modem-hang', {})
  await world.pass(400_000)
  const { modems } = telemetrySample(fleet.health, {})
  expect(modems[0]?.recovery).toMatchObject({
    tried: expect.arrayContaining(['resynchronise', 'reopen']),
    steps: expect.arrayContaining([expect.objectContaining({ found: expect.any(String) })]),
  })
})
