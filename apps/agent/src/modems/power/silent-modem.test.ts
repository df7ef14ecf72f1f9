import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FakeMachine } from '../../testing/fake-machine.ts'
import { FleetFixture } from '../../testing/modem-fleet-fixture.ts'
import { StandInTools } from '../../testing/stand-in-tools.ts'
import { readPowerSetting } from './power-setting.ts'

let tools: StandInTools
let silent: Server
let address: string
let fake: FakeMachine
let fixture: FleetFixture
const sockets = new Set<Socket>()

/** A switched-off modem, connected to a serial server that accepts connections. */
beforeEach(async () => {
  tools = new StandInTools()
  tools.install('gpioset', `[ "$1" = --version ] && echo 'gpioset (libgpiod) v1.6.3'; exit 0`)
  silent = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).resume()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  address = `tcp://127.0.0.1:${(silent.address() as AddressInfo).port}`
  fake = new FakeMachine()
  fixture = new FleetFixture(fake)
})

afterEach(async () => {
  await fixture.stop()
  for (const socket of sockets) socket.destroy()
  silent.close()
  fake.remove()
  tools.remove()
})

const quick = { startLimitMs: 300, resynchroniseLimitMs: 300, settleMs: 100, resetPausesMs: [0], alarmLookMs: 60_000 }
const pulses = () => tools.calls('gpioset').filter((call) => call !== '--version')

test('switches a modem that never answers off and on with its GPIO line, at most three times', async () => {
  fixture.power = readPowerSetting(`${address}=gpiochip0:4:1000`)
  await fixture.start([address], { recovery: quick })
  await expect.poll(() => fixture.problems.join('\n')).toContain('These measures did not help')
  expect(pulses()).toEqual(Array.from({ length: 3 }, () => '--mode=time --sec=1 --usec=0 gpiochip0 4=1'))
})

test('switches nothing without the setting', async () => {
  await fixture.start([address], { recovery: quick })
  await expect.poll(() => fixture.problems.join('\n')).toContain('These measures did not help')
  expect(tools.calls('gpioset')).toEqual([])
})
