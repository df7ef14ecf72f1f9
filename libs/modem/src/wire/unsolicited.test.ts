import { describe, expect, test } from 'vitest'
import { parseParameters } from './at-parameters.ts'
import { readResponseLine } from './response-line.ts'
import { UnsolicitedTable } from './unsolicited.ts'

const table = new UnsolicitedTable()
const find = (text: string) => table.find(readResponseLine(text))
const isNews = (text: string) => {
  const line = readResponseLine(text)
  return table.find(line)?.isUnsolicited?.(parseParameters(line.body))
}

describe('registration', () => {
  test.each([
    '+CREG: 1',
    '+CREG: 6',
    '+CREG: 1,"4CA","81DE"',
    '+CREG: 5,"5E25","0100701",7',
    '+CREG: 1,4CA,81DE445,7',
    '+CREG: 1,"0B,"0100701",7',
    '+CREG: 3,,,,0,11',
    '+CEREG: 0,"FFFE","FFFFFFF",7',
    '+C5GREG: 1,"0012FD","000000001",11',
  ])('%s is an unsolicited code', (text) => expect(isNews(text)).toBe(true))

  test.each([
    '+CREG: 0,1',
    '+CREG: 000,001',
    '+CREG: 2,1,4CA,81DE445',
    '+CREG: 0,1,"5E25","605F",2',
    '+CREG: 2,1,"5E25',
    '+CREG: 2,1,"0B,"0100701",7',
    '+CREG: 0, 11',
    '+CREG: (0-2)',
    '+CEREG: 0,6',
  ])('%s is an answer', (text) => expect(isNews(text)).toBe(false))
})

test('USSD is unsolicited in every form except the answer to a test command', () => {
  expect(['+CUSD: 2', '+CUSD: 4', '+CUSD: 0,"a",15', '+CUSD: 0, 00480069,72'].map(isNews)).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(isNews('+CUSD: (0-2)')).toBe(false)
})

test.each([
  ['RDY', 'certain'],
  ['*ATREADY: 1', 'certain'],
  ['^SYSSTART', 'certain'],
  ['+AT: READY', 'certain'],
  ['NORMAL POWER DOWN', 'certain'],
  ['SMS Ready', 'likely'],
  ['Call Ready', 'likely'],
  ['PB DONE', 'likely'],
  ['SMS DONE', 'likely'],
  ['+QIND: PB DONE', 'likely'],
  ['+CPIN: READY', 'likely'],
  ['+CPIN: "READY"', 'likely'],
  ['^SIMST: 1', 'likely'],
  ['+CFUN: 1', 'likely'],
  ['+CFUN: 0', undefined],
  ['+CPIN: NOT READY', undefined],
  ['+QIND: "csq",20,99', undefined],
  ['RING', undefined],
])('%s as a sign of a restart: %s', (text, restart) => {
  expect(find(text)).toBeDefined()
  expect(find(text)?.restart).toBe(restart)
})

test('a learned code takes precedence over a known one', () => {
  const own = new UnsolicitedTable()
  own.learn([{ code: '+CFUN', body: '1', restart: 'certain' }])
  expect(own.find(readResponseLine('+CFUN: 1'))?.restart).toBe('certain')
  expect(own.find(readResponseLine('^BOOT: 1'))).toBeUndefined()
})

test('a code that is added at every start is stored once', () => {
  let looks = 0
  const form = {
    code: '^MODE',
    get body() {
      looks += 1
      return '5'
    },
  }
  const own = new UnsolicitedTable()
  for (let starts = 0; starts < 100; starts += 1) own.learn([form])
  expect(own.find(readResponseLine('^MODE: 3'))).toBeUndefined()
  expect(looks).toBeLessThan(5)
})

test.each(['Ready', 'RDY 1', '+CMGS: 1', '+CMGL: 1,1,,24', 'OK', ''])('%j is not an unsolicited code', (text) => {
  expect(find(text)).toBeUndefined()
})
