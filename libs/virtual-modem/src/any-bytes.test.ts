import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type FaultName, faultDescriptions } from './faults/fault-catalogue.ts'
import { ManualClock } from './manual-clock.ts'
import { Network } from './network/network.ts'
import { personalities } from './personalities/catalogue.ts'
import { seededRandom } from './random.ts'
import { aliceNumber, simOf } from './test-setup.ts'
import { VirtualModem } from './virtual-modem.ts'

const names = [
  ...'E Q V Z &F &W I D A H +CMGF +CSMS +CNMI +CPMS +CMGL +CMGR +CMGD +CMGS +CMGW +CMSS +CMGC +CNMA +CSCA +CSMP'.split(
    ' ',
  ),
  ...'+CSCS +CSDH +CSCB +CPIN +CLCK +CPWD +CPINR +CREG +CEREG +COPS +CSQ +CESQ +CFUN +CMEE +CUSD +CPBS +CPBR'.split(
    ' ',
  ),
  ...'+CPBF +CPBW +CCLK +CTZU +CRSM +CSIM +CLAC +CGATT +CGDCONT +CBC +CPAS +CIND +CLIP +CGSN ^CPIN +QPINC +SPIC'.split(
    ' ',
  ),
]

const parameter = fc.oneof(
  fc.integer({ min: -5, max: 70_000 }).map(String),
  fc.constantFrom(
    '"SM"',
    '"ME"',
    '"SC"',
    '"ALL"',
    '"+4420"',
    '"1234"',
    '',
    '"UCS2"',
    '"002B0034"',
    '"',
    '28423',
    '"SR"',
  ),
  fc.string({ maxLength: 12 }),
)
const command = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom('', '?', '=?', '='), fc.array(parameter, { maxLength: 6 }))
  .map(([name, form, parameters]) => `${name}${form}${form === '=' ? parameters.join(',') : ''}`)
const hexadecimal = fc.uint8Array({ maxLength: 200 }).map((octets) => Buffer.from(octets).toString('hex'))
const pdu = '0031000C914477000999990000A70AE8329BFD4697D9EC37'
/**
 * Leaves out the registers S3 (line end) and S5 (backspace), because the commands of the test have a fixed line end and
 * contain letters that must not count as backspaces.
 */
const typed = fc.oneof(
  { weight: 4, arbitrary: fc.array(command, { maxLength: 4 }).map((commands) => `AT${commands.join(';')}\r`) },
  { weight: 1, arbitrary: hexadecimal.map((hex) => `${hex}\x1a`) },
  { weight: 1, arbitrary: fc.constantFrom('\x1b', '\x1a', '\r', 'A/', `${pdu}\x1a`, '00\x1a', 'AT+CMGS=23\r') },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets).toString('latin1')) },
)

function modemOn(personality: string, seed: number, onText: (text: string) => void) {
  const clock = new ManualClock()
  const network = new Network({ clock, random: seededRandom(seed) })
  const modem = new VirtualModem({
    personality: personalities[personality]!,
    sim: simOf(aliceNumber, { pin: '1234', pinEnabled: seed % 4 === 0 }),
    network,
    clock,
    random: seededRandom(seed),
    onBytes: (bytes) => onText(Buffer.from(bytes).toString('latin1')),
  })
  modem.powerOn({ warm: true })
  const say = (text: string) => modem.receive(Buffer.from(text, 'latin1'))
  return { clock, network, modem, say }
}

const personality = fc.constantFrom(...Object.keys(personalities))

test('answers a plain AT after any input', () => {
  fc.assert(
    fc.property(personality, fc.nat(), fc.array(typed, { maxLength: 25 }), (name, seed, inputs) => {
      let text = ''
      const { clock, say } = modemOn(name, seed, (more) => {
        text += more
      })
      for (const input of inputs) {
        say(input)
        clock.advance(1)
      }
      clock.advance(300_000)
      // Ends a prompt and an incomplete line, and resets settings that hide or change results.
      say('\x1b\rAT&F\r')
      clock.advance(300_000)
      text = ''
      say('AT\r')
      clock.advance(1000)
      expect(text).toContain('\r\nOK\r\n')
    }),
    { numRuns: 400 },
  )
})

test('gives every command line exactly one result', () => {
  fc.assert(
    fc.property(personality, fc.array(command, { maxLength: 4 }), (name, commands) => {
      fc.pre(!commands.some((text) => /^([EQVZIDAH]|&|\+CFUN|\+CMG[SWC]|\+CNMA)/.test(text)))
      let text = ''
      const { clock, say } = modemOn(name, 1, (more) => {
        text += more
      })
      say('ATE0\r')
      clock.advance(1000)
      text = ''
      say(`AT${commands.join(';')}\r`)
      clock.advance(1000)
      expect(text).toMatch(/\r\n(OK|ERROR|NO CARRIER|COMMAND NOT SUPPORT|\+CM[ES] ERROR: [^\r]*)\r\n/)
    }),
    { numRuns: 600 },
  )
})

test('with any faults, keeps running, ends every SUBMIT and writes a correct ledger', () => {
  const faultName = fc.constantFrom(...(Object.keys(faultDescriptions) as FaultName[]))
  fc.assert(
    fc.property(
      personality,
      fc.nat(),
      fc.array(fc.tuple(faultName, fc.double({ min: 0, max: 1 })), { maxLength: 6 }),
      (name, seed, faults) => {
        const accepted: string[] = []
        let text = ''
        const clock = new ManualClock()
        const network = new Network({
          clock,
          random: seededRandom(seed),
          onAccepted: (entry) => accepted.push(entry.destination),
        })
        const modem = new VirtualModem({
          personality: personalities[name]!,
          sim: simOf(aliceNumber),
          network,
          clock,
          random: seededRandom(seed),
          onBytes: (bytes) => {
            text += Buffer.from(bytes).toString('latin1')
          },
        })
        modem.powerOn()
        clock.advance(60_000)
        for (const [fault, chance] of faults) modem.faults.set(fault, { chance: chance || 0 })
        let answered = 0
        for (let round = 0; round < 8; round++) {
          network.sendText('+4420', aliceNumber, 'x'.repeat(200 * (round % 3)))
          text = ''
          modem.receive(Buffer.from('AT+CMGS=23\r'))
          clock.advance(5000)
          modem.receive(Buffer.from(`${pdu}\x1a`))
          clock.advance(5000)
          answered += text.includes('+CMGS: ') ? 1 : 0
          modem.receive(Buffer.from('\x1bAT+CMGL=4\rAT+CMGD=1,4\r'))
          clock.advance(1000)
        }
        expect(accepted.length).toBeGreaterThanOrEqual(answered)
        modem.faults.clear()
        modem.unplug(0)
        clock.advance(600_000)
        text = ''
        modem.receive(Buffer.from('AT\r'))
        clock.advance(1000)
        expect(text).toContain('\r\nOK\r\n')
      },
    ),
    { numRuns: 300 },
  )
})
