import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem } from '../testing/driven-modem.ts'

async function started(answers: Answers = {}, hangUpCalls = false): Promise<DrivenModem> {
  const driven = new DrivenModem({ 'AT+CLIP=1': 'OK', ...answers }, { hangUpCalls })
  await driven.session()
  driven.forget()
  return driven
}

const calls = (driven: DrivenModem) => driven.kinds('call').map(({ call }) => call.number)

describe('an incoming call', () => {
  test('an incoming call is reported once with its number, after any number of rings', async () => {
    const driven = await started()
    for (let rings = 0; rings < 6; rings += 1) {
      driven.port.tell('RING\n+CLIP: "+447700900123",145,"",0,"",0')
      await driven.pass(5_000)
    }
    driven.port.tell('NO CARRIER')
    await driven.pass(60_000)
    expect(calls(driven)).toEqual(['+447700900123'])
  })

  test.each([
    ['RING', undefined],
    ['+CRING: VOICE', undefined],
    ['RING\n+CLIP: "",128,,,,1', undefined],
    ['RING\n+CLIP: "447700900123",145', '+447700900123'],
    ['RING\n+CLIP: "07700900123",129', '07700900123'],
    ['+CRING: VOICE\n+CLIP: 07700900123,161', '07700900123'],
    ['RING\n+CLIP: "002B003400340037003700300030003900300030003100320033",145', '+447700900123'],
  ])('%j has the number %s', async (lines, number) => {
    const driven = await started()
    driven.port.tell(lines)
    await driven.pass(10_000)
    expect(calls(driven)).toEqual([number])
  })

  test('an incoming call is reported with its number if the number follows the second ring', async () => {
    const driven = await started()
    driven.port.tell('RING')
    await driven.pass(5_000)
    driven.port.tell('RING\n+CLIP: "07700900123",129')
    await driven.pass(60_000)
    expect(calls(driven)).toEqual(['07700900123'])
  })

  test('an incoming call that ends before its number arrives is reported without a number', async () => {
    const driven = await started()
    driven.port.tell('RING\nNO CARRIER')
    await driven.pass(60_000)
    expect(calls(driven)).toEqual([undefined])
  })

  test('an incoming call after the end of another call is a new call', async () => {
    const driven = await started()
    const ring = 'RING\n+CLIP: "07700900123",129'
    driven.port.tell(`${ring}\nNO CARRIER\n${ring}`)
    await driven.pass(20_000)
    driven.port.tell(ring)
    await driven.pass(20_000)
    expect(calls(driven)).toHaveLength(3)
  })

  test('an incoming call does not disturb a message that is being sent', async () => {
    const driven = await started({ PDU: 'busy' })
    const submitted = driven.submit()
    await driven.pass(10)
    driven.port.tell('RING\n+CLIP: "07700900123",129\nNO CARRIER')
    driven.port.finish('+CMGS: 17\nOK')
    expect(await driven.passing(submitted)).toMatchObject({ kind: 'accepted', messageReference: 17 })
    expect(calls(driven)).toEqual(['07700900123'])
  })

  test('an incoming call rings until the caller gives up, unless calls are hung up', async () => {
    const driven = await started({ 'AT+CHUP': 'OK' })
    driven.port.tell('RING')
    await driven.pass(10_000)
    expect(driven.port.commands).not.toContain('AT+CHUP')
  })

  test.each([
    ['OK', ['AT+CHUP']],
    ['ERROR', ['AT+CHUP', 'ATH']],
  ])('an incoming call is hung up on request: %s to AT+CHUP', async (answer, commands) => {
    const driven = await started({ 'AT+CHUP': answer, ATH: 'OK' }, true)
    driven.port.tell('RING\n+CLIP: "07700900123",129')
    await driven.pass(100)
    expect(driven.port.commands.filter((command) => /^AT(\+CHUP|H)$/.test(command))).toEqual(commands)
  })
})

test('a call of a modem that refuses +CLIP is reported without its number', async () => {
  const driven = await started({ 'AT+CLIP=1': 'ERROR' })
  driven.port.tell('RING')
  await driven.pass(10_000)
  expect(calls(driven)).toEqual([undefined])
})
