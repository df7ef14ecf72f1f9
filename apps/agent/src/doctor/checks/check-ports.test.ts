import { afterEach, beforeEach, expect, test } from 'vitest'
import { devices, FakeMachine } from '../../testing/fake-machine.ts'
import { checkPorts } from './check-ports.ts'

let fake: FakeMachine

beforeEach(() => {
  fake = new FakeMachine()
})
afterEach(() => fake.remove())

const auto = { auto: true, addresses: [] }
const meanings = async () => (await checkPorts(auto, undefined, fake.machine)).map(({ meaning }) => meaning)

test('without a modem, names the connected USB devices, and leaves out hubs', async () => {
  expect(await meanings()).toEqual(expect.arrayContaining([{ code: 'modems.none' }, { code: 'usb.nothing' }]))
  fake.plug({ id: '1d6b:0002', product: 'xHCI Host Controller', interfaces: [{ class: '09/00/00' }] }, '1-1')
  fake.plug({ id: '046d:c31c', product: 'Keyboard', interfaces: [{ class: '03/01/01' }] }, '1-1.1')
  fake.plug({ id: '0781:5567', interfaces: [{ class: '08/06/50' }] }, '1-1.2')
  expect(await meanings()).toContainEqual({
    code: 'usb.seen',
    values: { devices: 'Keyboard (046d:c31c), 0781:5567' },
  })
})

test('checks the modem of a running agent, whose MODEMS may differ', async () => {
  const codes = async (state: string) => {
    const agent = { pid: 1, modems: [{ port: 'tcp://127.0.0.1:7000', state }] }
    return (await checkPorts(auto, agent, fake.machine)).map(({ meaning }) => meaning.code)
  }
  expect(await codes('ready')).not.toContain('modems.none')
  expect(await codes('absent')).toContain('modems.none')
})

test('explains a device that looks like a modem, with a code for the reason', async () => {
  fake.plug(devices.mbimOnly, '1-1.2')
  expect(await meanings()).toContainEqual({
    code: 'usb.data-only',
    values: { device: expect.stringContaining('at 1-1.2') },
  })
})

test('explains why a HiLink stick without an address cannot be used', async () => {
  fake.plug(
    { ...devices.e3372HiLink, interfaces: [{ class: '02/06/00', driver: 'cdc_ether', network: 'eth1' }] },
    '1-2',
  )
  expect(await meanings()).toContainEqual({
    code: 'usb.other',
    values: { problem: expect.stringContaining('has no IPv4 address') },
  })
})
