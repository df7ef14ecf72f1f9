import { describe, expect, test } from 'vitest'
import { deliverPdu } from '../testing/driven-modem.ts'
import { answerLines, dialogueInStep, otherDeliverPdu, shown, testQuery } from '../testing/scripted-dialogue.ts'

describe('an answer', () => {
  test('an answer contains only the lines of its command', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    modem.say('\r\n+CSQ: 20,99\r\n\r\nOK\r\n')
    expect(await outcome).toMatchObject({
      kind: 'ok',
      lines: [{ text: '+CSQ: 20,99', prefix: '+CSQ', body: '20,99', payload: undefined }],
    })
    expect(modem.written).toEqual(['AT+CSQ?\r'])
  })

  test.each([
    ['ERROR', 'plain', undefined, 'unknown'],
    ['+CME ERROR: 10', 'cme', 10, 'sim'],
    ['+CMS ERROR: 500', 'cms', 500, 'unknown'],
    ['+CMS ERROR: Unknown error', 'cms', 500, 'unknown'],
    ['COMMAND NOT SUPPORT', 'plain', undefined, 'unsupported'],
    ['TOO MANY PARAMETERS', 'plain', undefined, 'unsupported'],
  ])('an answer ends with %s', async (line, source, code, errorClass) => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    modem.say(`\r\n${line}\r\n`)
    expect(await outcome).toMatchObject({ kind: 'error', error: { source, code, class: errorClass, text: line } })
  })

  test('an answer pairs rows with their PDUs although two-line codes arrive in between and a line break is missing', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const outcome = dialogue.execute({
      text: 'AT+CMGL=4',
      prefixes: ['+CMGL'],
      withPayload: true,
      timeoutMs: 30_000,
    })
    modem.say(
      `\r\n+CMGL: 1,1,,30\r\n+CMT: ,30\r\n${otherDeliverPdu}\r\n^RSSI: 12\r\n${deliverPdu}+CMGL: 2,1,,30\r\n${deliverPdu}\r\n`,
    )
    modem.say(`+CDS: ,25\r\n${otherDeliverPdu}\r\n+CMGL: 3,0,,0\r\n+CMGL: 4,0,,0\r\n00\r\nOK\r\n`)
    expect(answerLines(await outcome)).toEqual([
      `+CMGL: 1,1,,30|${deliverPdu}`,
      `+CMGL: 2,1,,30|${deliverPdu}`,
      '+CMGL: 3,0,,0',
      '+CMGL: 4,0,,0|00',
    ])
    expect(shown(events)).toEqual([`+CMT: ,30|${otherDeliverPdu}`, 'unknown ^RSSI: 12', `+CDS: ,25|${otherDeliverPdu}`])
  })

  test('an answer of one line contains the last line; earlier lines are reported as unsolicited', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CPIN', { single: true }))
    modem.say('+CPIN: NOT READY\r\n+CPIN: READY\r\nOK\r\n')
    expect(answerLines(await outcome)).toEqual(['+CPIN: READY'])
    expect(shown(events)).toEqual(['+CPIN: NOT READY'])
  })

  test('an answer is limited: a flood of rows ends the command', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CLAC', { withPayload: false }))
    for (let i = 0; i < 1000; i += 1) modem.say(`+CLAC: ${'x'.repeat(400)}\r\n`)
    expect(await outcome).toMatchObject({ kind: 'unanswered', why: 'flooded' })
  })
})
