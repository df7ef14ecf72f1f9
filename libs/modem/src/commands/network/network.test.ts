import { describe, expect, test } from 'vitest'
import { valueFrom } from '../../testing/answer-to.ts'
import { readResponseLine } from '../../wire/response-line.ts'
import { textInCharacterSet } from '../character-set.ts'
import { networkTimeIn, readClock } from './network-time.ts'
import { readOperator } from './operator.ts'
import { readExtendedSignal, readSignal } from './signal.ts'

describe('signal', () => {
  test.each([
    ['+CSQ: 20,99', -73, 4],
    ['+CSQ: 0,0', -113, 0],
    ['+CSQ: 31,7', -51, 4],
    ['+CSQ: 99,99', undefined, undefined],
    ['+CSQ: 18.99', -77, 3],
    ['+CSQ: 150,99', -66, 4],
  ])('%s', async (answer, dBm, bars) => expect(await valueFrom(readSignal, answer)).toEqual({ dBm, bars }))

  test('does not read an unsolicited code with the same prefix as the answer', async () => {
    expect(await valueFrom(readSignal, '+CSQ: 5,99\n^RSSI: 20\n+CSQ: 20,99')).toMatchObject({ dBm: -73 })
  })
  test('reads the LTE measures', async () => {
    expect(await valueFrom(readExtendedSignal, '+CESQ: 99,99,255,255,20,46')).toEqual({
      dBm: -75,
      bars: 3,
      rsrpDbm: -95,
      rsrqDb: -10,
    })
  })
  test.each([
    ['+CESQ: 99,99,45,30,255,255', -76],
    ['+CESQ: 38,0,255,255,255,255', -73],
    ['+CESQ: 99,99,255,255,255,255', undefined],
  ])('reads the signal of UMTS and GSM: %s', async (answer, dBm) =>
    expect(await valueFrom(readExtendedSignal, answer)).toMatchObject({ dBm }),
  )
})

describe('operator', () => {
  test.each([
    ['+COPS: 0,0,"Telekom.de",7', { name: 'Telekom.de', code: undefined, technology: 'LTE' }],
    ['+COPS: 0,2,"26201",2', { name: '26201', code: '26201', technology: 'UMTS' }],
    ['+COPS: 0,0,"00540065006C0065006B006F006D",0', { name: 'Telekom', code: undefined, technology: 'GSM' }],
    ['+COPS: 1,0,"o2 - de+"', { name: 'o2 - de+', selection: 'manual' }],
  ])('%s', async (answer, operator) => expect(await valueFrom(readOperator, answer)).toMatchObject(operator))
  test.each(['+COPS: 0', '+COPS: 2', '+COPS: 0,0,"",0'])('reads no signal from %s', async (answer) => {
    expect(await valueFrom(readOperator, answer)).toBe('none')
  })
})

describe('network time', () => {
  // 15:46:11 in Jakarta, which is seven hours ahead of UTC.
  const epochMs = Date.UTC(2026, 2, 1, 8, 46, 11)

  test('reads local time and zone from the clock', async () => {
    expect(await valueFrom(readClock, '+CCLK: "26/03/01,15:46:11+28"')).toEqual({ epochMs, zoneQuarters: 28 })
  })
  test.each(['80/01/06,00:00:12+00', '04/01/01,00:20:00+00', '70/01/01,00:00:04+00'])(
    'ignores a clock that was never set: %s',
    async (text) => {
      await expect(valueFrom(readClock, `+CCLK: "${text}"`)).rejects.toThrow('was not read')
    },
  )
  test.each([
    ['^NWTIME: "26/03/01,15:46:11+28,00"', 28],
    ['*PSUTTZ: 2026,3,1,8,46,11,"+28",0', 28],
    ['*PSUTTZ: 26,3,1,8,46,11,"+28",0', 28],
    ['+CTZE: "+28",0,"2026/03/01,15:46:11"', 28],
  ])('%s', (line, zoneQuarters) => {
    expect(networkTimeIn(readResponseLine(line))).toEqual({ epochMs, zoneQuarters })
  })
  test.each(['+CTZV: +28', '+CTZV: 28', '*PSUTTZ: garbage', '^NWTIME: ""', '+CSQ: 1,2'])(
    'reads no time from %s',
    (line) => {
      expect(networkTimeIn(readResponseLine(line))).toBeUndefined()
    },
  )
})

describe('texts in another character set', () => {
  test.each([
    ['Vodafone', 'Vodafone'],
    ['0056006F006400610066006F006E0065', 'Vodafone'],
    ['041C0422', 'МТ'],
    ['041C04220421', 'МТС'],
    ['4E2D56FD79FB52A8', '中国移动'],
    ['CAFE', 'CAFE'],
    ['26201', '26201'],
    ['12345678', '12345678'],
  ])('reads %s as %s', (text, meant) => expect(textInCharacterSet(text)).toBe(meant))
})
