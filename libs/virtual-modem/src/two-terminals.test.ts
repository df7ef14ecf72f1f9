import { describe, expect, test } from 'vitest'
import { generic } from './personalities/generic.ts'
import { seededRandom } from './random.ts'
import { aliceNumber, bobNumber, emulatedNetwork, simOf } from './test-setup.ts'
import { VirtualModem, type VirtualModemOptions } from './virtual-modem.ts'

/** Returns a modem with two ports, and the output of each port since the last read. */
function twoPorts(options: Partial<VirtualModemOptions> = {}) {
  const world = emulatedNetwork({ latencyMs: 2_000 })
  const output = ['', '']
  const modem = new VirtualModem({
    personality: generic,
    sim: simOf(aliceNumber),
    network: world.network,
    clock: world.clock,
    random: seededRandom(7),
    chunking: 'whole',
    terminals: 2,
    onBytes: (bytes, terminal) => {
      output[terminal] += String.fromCharCode(...bytes)
    },
    ...options,
  })
  modem.powerOn({ warm: true })
  const read = (terminal: number) => output.splice(terminal, 1, '')[0]
  const type = (terminal: number, text: string) => {
    modem.receive(
      Uint8Array.from(text, (char) => char.charCodeAt(0)),
      terminal,
    )
  }
  const say = (terminal: number, text: string) => {
    read(terminal)
    type(terminal, text)
    return read(terminal)
  }
  for (const terminal of [0, 1]) say(terminal, 'ATE0\r')
  const wait = (ms: number) => world.clock.advance(ms)
  return { ...world, modem, read, type, say, wait }
}

const pdu = '0011000B916407281553F80000AA05E8329BFD06'
const submit = `${pdu}\x1a`

describe('two ports of one modem', () => {
  test('two ports of one modem have the same IMEI', () => {
    const { say } = twoPorts()
    expect(say(1, 'AT+CGSN\r')).toBe(say(0, 'AT+CGSN\r'))
  })

  test('two ports of one modem have their own echo, error reports and message format', () => {
    const { say } = twoPorts()
    say(0, 'ATE1\r')
    say(0, 'AT+CMEE=1;+CMGF=1\r')
    expect(say(1, 'AT+CMEE?;+CMGF?\r')).toBe('\r\n+CMEE: 0\r\n+CMGF: 0\r\n\r\nOK\r\n')
    expect(say(0, 'AT+CMEE?\r')).toContain('AT+CMEE?\r')
  })

  test('two ports of one modem share the messages and the selected memory', () => {
    const { say, network, wait } = twoPorts()
    say(0, 'AT+CPMS="SM","SM","SM"\r')
    network.sendText(bobNumber, aliceNumber, 'hello')
    wait(2_000)
    expect(say(1, 'AT+CPMS?\r')).toContain('"SM",1')
    expect(say(1, 'AT+CMGL=4\r')).toContain('+CMGL: ')
    say(1, 'AT+CMGD=1\r')
    expect(say(0, 'AT+CMGR=1\r')).not.toContain('+CMGR: ')
  })

  test('ATZ restores the settings of one port only', () => {
    const { say } = twoPorts()
    say(0, 'AT+CMEE=1\r')
    say(1, 'AT+CMEE=2\r')
    say(1, 'ATZ\r')
    expect(say(0, 'AT+CMEE?\r')).toContain('+CMEE: 1')
    expect(say(1, 'ATE0;+CMEE?\r')).toContain('+CMEE: 0')
  })

  test.each([
    [[0], ['+CMTI', '']],
    [[1], ['', '+CMTI']],
    [
      [0, 1],
      ['+CMTI', '+CMTI'],
    ],
  ])('two ports of one modem indicate messages on the ports %j that requested indications', (asking, indicated) => {
    const { say, network, read, wait } = twoPorts()
    for (const terminal of asking) say(terminal, 'AT+CNMI=2,1\r')
    read(0)
    read(1)
    network.sendText(bobNumber, aliceNumber, 'hello')
    wait(2_000)
    expect([read(0), read(1)].map((text) => /\+CMTI/.exec(text ?? '')?.[0] ?? '')).toEqual(indicated)
  })

  test('a port answers while a message is sent on the other port', () => {
    const { say, type, read, wait } = twoPorts()
    say(0, 'AT+CMGS=19\r')
    type(0, submit)
    wait(1_000)
    expect(say(1, 'AT\r')).toBe('\r\nOK\r\n')
    expect(read(0)).not.toContain('+CMGS')
    wait(1_000)
    expect(read(0)).toContain('+CMGS: ')
    expect(read(1)).toBe('')
  })

  test('two ports of one modem send one message at a time', () => {
    const { say, type, read, wait, ledger } = twoPorts()
    for (const terminal of [0, 1]) {
      say(terminal, 'AT+CMGS=19\r')
      type(terminal, submit)
    }
    read(0)
    wait(2_000)
    expect([read(0), read(1)]).toEqual([expect.stringContaining('+CMGS: '), expect.not.stringContaining('+CMGS: ')])
    wait(2_000)
    expect(read(1)).toContain('+CMGS: ')
    expect(ledger.map(({ messageReference }) => messageReference)).toEqual([0, 1])
  })

  test('both ports hang if a submission hangs, but only one hangs if another command hangs', () => {
    const { say, type, modem, wait } = twoPorts({ faults: { 'submit-hang': { forMs: 10_000 } } })
    say(0, 'AT+CMGS=19\r')
    type(0, submit)
    wait(3_000)
    expect(say(1, 'AT\r')).toBe('')
    wait(10_000)
    expect(say(1, 'AT\r')).toBe('\r\nOK\r\n')
    modem.faults.set('modem-hang')
    expect(say(1, 'AT\r')).toBe('')
    modem.faults.clear()
    expect(say(0, 'AT\r')).toBe('\r\nOK\r\n')
    expect(say(1, 'AT\r')).toBe('')
  })
})
