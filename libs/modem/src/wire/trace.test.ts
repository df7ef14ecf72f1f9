import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Sensitivity } from '../dialogue/command.ts'
import { Dialogue } from '../dialogue/dialogue.ts'
import { ManualClock, promisesSettled } from '../testing/manual-clock.ts'
import { ScriptedModem } from '../testing/scripted-modem.ts'
import { TraceLines, TraceRing } from './trace.ts'
import { maskLine } from './trace-masking.ts'

const pdu = '0011000B914497111111110000AA05C8329BFD06'
const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))

describe('private data is masked', () => {
  const lines: [line: string, masked: string, sensitivity?: Sensitivity][] = [
    [pdu, '<hex 40>'],
    [`${pdu}\x1a`, '<hex 40>\x1a'],
    [`> ${pdu}\x1a\r\n`, '> <hex 40>\x1a\r\n'],
    ['+CNUM: "Anna","+447911123456",145', '+CNUM: "<text 4>","<text 13>",145'],
    ['+CNUM: Anna,"+447911123456",145', '+CNUM: <text 4>,"<text 13>",145'],
    ['+CPBR: 1,"0791112345",129,"Bob"', '+CPBR: 1,"<text 10>",129,"<text 3>"'],
    ['+CLIP: "+447911123456",145,,,,0', '+CLIP: "<text 13>",145,,,,0'],
    ['+CUSD: 0,"Your balance is 5.00",15', '+CUSD: 0,"<text 20>",15'],
    ['+CUSD: 0,"never closed', '+CUSD: 0,"<text 12>'],
    ['+CUSD: 0, 00480069,72', '+CUSD: 0, ******69,72'],
    ['+CUSD: 0, 004800E9,72', '+CUSD: 0, <hex 8>,72'],
    ['+CUSD: 0, Your code is 1234', '+CUSD: 0, <text 17>'],
    ['+CSCA: "+447911123456",145', '+CSCA: "<text 13>",145'],
    ['+CSCA: 002B0039,145', '+CSCA: <hex 8>,145'],
    ['+CMGL: 1,1,"Anna",24', '+CMGL: 1,1,"<text 4>",24'],
    ['AT+CUSD=1,"*100#",15', 'AT+CUSD=1,"<text 5>",15'],
    ['AT+CSCA="+447911123456",145', 'AT+CSCA="<text 13>",145'],
    ['ATD+447911123456;', 'ATD+**********56;'],
    ['AT+CPIN="1234"\r', 'AT+CPIN=<secret 6>\r'],
    ['AT+CPIN=1234', 'AT+CPIN=<secret 4>'],
    ['AT+CLCK="SC",1,"1234"', 'AT+CLCK=<secret 13>'],
    ['AT^X="1234"', 'AT^X=<secret 6>', 'secret'],
    ['490154203237518', '<hex 15>'],
    ['+CGSN: 490154203237518', '+CGSN: *************18'],
    ['a text on a line of its own', '<text 27>'],
    ['Serial 490154203237518', 'Serial *************18', 'plain'],
    ['Attention: your code is 7731', '<text 28>'],
    ['ATTENTION: YOUR CODE IS 7731', '<text 28>'],
    ['+Bonus: your code is 7731', '<text 25>'],
    ['+CUSD: 0, <your code> is 7731', '+CUSD: 0, <<text 9>> <text 7>'],
  ]
  test.each(lines)('%j', (line, masked, sensitivity = 'ordinary') => {
    expect(maskLine(line, sensitivity, false)).toBe(masked)
  })
})

describe('modem data is not masked', () => {
  const lines: [line: string, sensitivity?: Sensitivity][] = [
    ['\r\n+CSQ: 20,99\r\n'],
    ['+CREG: 2,1,"5E25","605F",2'],
    ['+CPMS: "SM",3,30,"ME",0,255'],
    ['+CMTI: "SM",3'],
    ['+COPS: 0,0,"Vodafone",7'],
    ['+CPIN: SIM PIN', 'secret'],
    ['+CMS ERROR: 500'],
    ['+CME ERROR: SIM busy'],
    ['OK'],
    ['RDY'],
    ['SMS Ready'],
    ['> '],
    ['AT+CMGS=24\r'],
    ['>>> AT+CMGS=24\r'],
    ['ATE0V1\r'],
    ['AT+CMGF=0;+CNMI=2,1\r'],
    ['AT*EPIN?\r'],
    ['AT+CNMI=2,1,2,1,0\r'],
    ['AT+CPIN?\r'],
    ['+CMGS: 255'],
    ['+CDS: ,25'],
    ['+QIND: SMS DONE'],
    ['Manufacturer: huawei', 'plain'],
  ]
  test.each(lines)('%j', (line, sensitivity = 'ordinary') => {
    expect(maskLine(line, sensitivity, false)).toBe(line)
  })
})

// An algorithm with quadratic cost, or one recursion per character, would not finish.
test.each([' ', '>', '<', '"', ',', ' ,"', '\0', 'a', '1'])('masks a line of two hundred thousand times %j', (part) => {
  for (const head of ['', '+CUSD: 0,', '+CMS ERROR: ', 'AT+X=']) {
    expect(maskLine(`${head}${part.repeat(200_000)}x`, 'ordinary', false)).toContain(head)
  }
})

test('a line is traced as a whole, with any division into chunks', () => {
  const entries: string[] = []
  const trace = new TraceLines(
    () => 0,
    (entry) => void entries.push(`${entry.direction} ${entry.text}`),
  )
  trace.sent(bytesOf('AT+CNUM\r'), 'ordinary')
  for (const char of '\r\n+CNUM: "","+447911123456",145\r\n\r\nOK\r\n') trace.received(bytesOf(char), 'ordinary')
  trace.sent(bytesOf('AT+CMGS=19\r'), 'ordinary')
  trace.received(bytesOf('\r\n> '), 'ordinary')
  trace.sent(bytesOf(`${pdu}\x1a`), 'ordinary')
  expect(entries).toEqual([
    'sent AT+CNUM\\r',
    'received \\r\\n+CNUM: "","<text 13>",145\\r\\n',
    'received \\r\\nOK\\r\\n',
    'sent AT+CMGS=19\\r',
    'received \\r\\n> ',
    'sent <hex 40>\\x1a',
  ])
})

test('masks numbers wherever a line is divided, and with any output in between', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), (first, second) => {
      let shown = ''
      const trace = new TraceLines(
        () => 0,
        (entry) => {
          shown += entry.direction === 'received' ? entry.text : ' '
        },
      )
      const said = `+CMGL: 1,1,"Anna",24\r\n${pdu}\r\n+CNUM: "","+447911123456",145\r\nOK\r\n`
      const [low, high] = [Math.min(first, second), Math.max(first, second)]
      for (const piece of [said.slice(0, low), said.slice(low, high), said.slice(high)]) {
        trace.received(bytesOf(piece), 'ordinary')
        trace.sent(bytesOf('AT\r'), 'ordinary')
      }
      trace.flush()
      expect(shown).not.toMatch(/\d{5}/)
      expect(shown).not.toContain('Anna')
    }),
  )
})

test('the ring keeps the last bytes within its limits, and never begins with a part of a number', () => {
  const clock = new ManualClock()
  const ring = new TraceRing(clock, 400)
  for (let i = 0; i < 1000; i += 1) ring.received(bytesOf('+CNUM: "","+4479'), 'ordinary')
  ring.received(bytesOf('11123456",145\r\nOK\r\n'), 'ordinary')
  const entries = ring.entries()
  expect(entries.map((entry) => entry.text).join('')).not.toMatch(/\d{4}/)
  expect(entries.at(-1)?.text).toBe('OK\\r\\n')
})

test('the ring always holds more than two thirds of its capacity', () => {
  const ring = new TraceRing(new ManualClock(), 4_000)
  for (let i = 0; i < 1_000; i += 1) {
    ring.sent(bytesOf('AT+CSQ=?\r'), 'plain')
    if (i > 200) expect(ring.entries().length).toBeGreaterThan(4_000 / (16 + 9) / 1.5)
  }
  expect(ring.entries().length).toBeLessThanOrEqual(4_000 / (16 + 9))
})

test('the ring holds the end of a piece that is longer than the ring', () => {
  const ring = new TraceRing(new ManualClock(), 400)
  ring.received(bytesOf(`+CNUM: "Anna","+44${'7911123456'.repeat(100)}",145\r\nOK\r\n`), 'ordinary')
  const texts = ring.entries().map(({ text }) => text)
  expect(texts.at(-1)).toBe('OK\\r\\n')
  expect(texts.join('')).not.toMatch(/\d{4}/)
})

test('a dialogue traces both directions with the time of each line', async () => {
  const clock = new ManualClock()
  const modem = new ScriptedModem()
  const trace = new TraceRing(clock)
  const dialogue = new Dialogue({ port: modem, clock, onEvent: () => undefined, trace })
  await dialogue.resynchronise()
  await clock.advance(1000)
  const before = trace.entries().length
  const outcome = dialogue.submit({ id: 'a', command: 'AT+CMGS=19', pdu, beforePdu: async () => 'go' })
  modem.say('\r\n> ')
  await promisesSettled()
  await clock.advance(2000)
  modem.say('\r\n+CMGS: 7\r\n\r\nOK\r\n')
  await outcome
  expect(
    trace
      .entries()
      .slice(before)
      .map((entry) => `${entry.atMs} ${entry.direction} ${entry.text}`),
  ).toEqual([
    '1000 sent AT+CMGS=19\\r',
    '1000 received \\r\\n> ',
    '1000 sent <hex 40>\\x1a',
    '3000 received \\r\\n+CMGS: 7\\r\\n',
    '3000 received \\r\\nOK\\r\\n',
  ])
})
