import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineAssembler } from './line-assembler.ts'
import { UnsolicitedTable } from './unsolicited.ts'

// The length 07, a service centre address of 7 octets, and a TPDU of 30 octets.
const pdu = `07${'9'.repeat(14)}${'0'.repeat(60)}`
const shortPdu = `00${'0'.repeat(20)}`

/** Shows lines as they are, events in brackets, and payloads after a vertical bar. */
function assembled(lines: readonly string[]): string[] {
  const seen: string[] = []
  const assembler = new LineAssembler(new UnsolicitedTable())
  const listener = {
    prompt: () => void seen.push('>'),
    line: (line: { text: string }) => void seen.push(line.text),
    unsolicited: (event: { text: string; payload: string | undefined }) =>
      void seen.push(`[${event.text}${event.payload === undefined ? '' : `|${event.payload}`}]`),
  }
  for (const line of lines) {
    if (line !== '>' || !assembler.takesPrompt()) assembler.push(line, listener)
  }
  assembler.flush(listener)
  return seen
}

describe('a code with a PDU', () => {
  test.each(['+CMT: ,30', '+CMT: "Anna",30', '+CMT: 30', '+CDS: 30', '+CDS: ,30', '+CBM: 88', '+CMT:'])(
    '%s takes the next line',
    (header) => expect(assembled([header, pdu, 'OK'])).toEqual([`[${header}|${pdu}]`, 'OK']),
  )

  test('a code with a PDU waits while other lines arrive in between, and then accepts only a PDU of the announced length', () => {
    expect(assembled(['+CMT: ,30', '^RSSI: 1', shortPdu, pdu, 'OK'])).toEqual([
      '^RSSI: 1',
      shortPdu,
      `[+CMT: ,30|${pdu}]`,
      'OK',
    ])
  })

  test('a PDU is not expected any more after a few lines, or when the next code arrives', () => {
    expect(assembled(['+CMT: ,30', 'a', 'b', 'c', 'd', pdu])).toEqual(['a', 'b', 'c', '[+CMT: ,30]', 'd', pdu])
    expect(assembled(['+CMT: ,30', '+CDS: 30', pdu])).toEqual(['[+CMT: ,30]', `[+CDS: 30|${pdu}]`])
    expect(assembled(['+CMT: ,30'])).toEqual(['[+CMT: ,30]'])
  })

  test('accepts any line in text mode, where a report has no second line', () => {
    expect(assembled(['+CMT: "+44",,"26/03/01,15:46:11+28"', 'OK', 'OK'])).toEqual([
      '[+CMT: "+44",,"26/03/01,15:46:11+28"|OK]',
      'OK',
    ])
    expect(assembled(['+CDS: 6,12,"+44",145,"26/03/01","26/03/01",0', 'OK'])).toEqual([
      '[+CDS: 6,12,"+44",145,"26/03/01","26/03/01",0]',
      'OK',
    ])
  })
})

describe('quoted text', () => {
  test.each([
    [['+CUSD: 0,"one line",15'], '+CUSD: 0,"one line",15'],
    [['+CUSD: 0,"no scheme"'], '+CUSD: 0,"no scheme"'],
    [['+CUSD: 0, 00480069,72'], '+CUSD: 0, 00480069,72'],
    [['+CUSD: 1,"a', 'OK', 'ERROR', '>', 'z",15'], '+CUSD: 1,"a\nOK\nERROR\n>\nz",15'],
    [['+CUSD: 1,"say "hi" and', 'go",15'], '+CUSD: 1,"say "hi" and\ngo",15'],
  ])('%j is one code', (lines, text) => expect(assembled([...lines, 'OK'])).toEqual([text, 'OK']))

  test('quoted text without a closing quote ends before the next code or error with a number', () => {
    expect(assembled(['+CUSD: 0,"cut', '+CMGS: 5', 'OK'])).toEqual(['+CUSD: 0,"cut', '+CMGS: 5', 'OK'])
    expect(assembled(['+CUSD: 0,"cut', '+CMS ERROR: 38'])).toEqual(['+CUSD: 0,"cut', '+CMS ERROR: 38'])
  })

  test('quoted text without a closing quote has a limit', () => {
    expect(assembled(['+CUSD: 0,"cut', ...Array.from({ length: 30 }, () => 'x'), 'OK'])).toContain('OK')
    expect(assembled(['+CUSD: 0,"cut', 'x'.repeat(2000), 'OK'])).toContain('OK')
  })
})

// An algorithm with quadratic cost would not finish.
test.each(['+CUSD: 0,', '+CUSD: "",', '+CUSD: 0,"a",', '+CUSD: 0,"a'])(
  '%s before two hundred thousand blanks is read to the end',
  (head) => {
    const line = `${head}${' '.repeat(200_000)}x`
    expect(assembled([line, 'OK']).join('\n')).toBe(`${line}\nOK`)
  },
)

test('no line is lost or held forever', () => {
  const line = fc.constantFrom('+CMT: ,30', '+CDS: 30', pdu, shortPdu, '+CUSD: 0,"a', 'b",15', 'OK', '+CSQ: 1', 'text')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const seen = assembled(lines).join('\n')
      for (const each of new Set(lines)) {
        expect(seen.split(each).length).toBeGreaterThanOrEqual(lines.filter((other) => other === each).length + 1)
      }
    }),
  )
})
