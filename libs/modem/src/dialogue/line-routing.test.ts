import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deliverPdu } from '../testing/driven-modem.ts'
import {
  answerLines,
  dialogueInStep,
  otherDeliverPdu,
  scriptedDialogue,
  shown,
  testQuery,
} from '../testing/scripted-dialogue.ts'
import { anyBareLine } from './command.ts'

describe('an answer', () => {
  test('an answer excludes echoes, even if they are repeated or late', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const first = dialogue.execute({ text: 'ATI', timeoutMs: 5000, bare: anyBareLine })
    modem.say('ATI\r\r\nATI\r\nHuawei\r\n\r\nOK\r\n')
    expect(answerLines(await first)).toEqual(['Huawei'])
    const second = dialogue.execute({ text: 'AT+CGMM', timeoutMs: 5000, bare: anyBareLine })
    modem.say('ATI\r\nAT+CGMM\r\r\nE3372\r\nOK\r\n')
    expect(answerLines(await second)).toEqual(['E3372'])
    expect(events).toEqual([])
  })

  test('an answer to a registration query is distinguished from an unsolicited code by its parameters', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CREG'))
    modem.say('+CREG: 5\r\n+CREG: 1,"5E25","0100701",7\r\n+CREG: 2,1,4CA,81DE445\r\n+CREG: 1,"4CA","81DE"\r\nOK\r\n')
    expect(answerLines(await outcome)).toEqual(['+CREG: 2,1,4CA,81DE445'])
    expect(shown(events)).toEqual(['+CREG: 5', '+CREG: 1,"5E25","0100701",7', '+CREG: 1,"4CA","81DE"'])
  })

  test('an answer of free text contains no unsolicited code, known or not', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const outcome = dialogue.execute({ text: 'ATI', prefixes: ['+GCAP'], bare: anyBareLine, timeoutMs: 5000 })
    modem.say('Manufacturer: huawei\r\nRING\r\n^HCSQ:"LTE",42\r\nSMS Ready\r\n+GCAP: +CGSM\r\n\r\nOK\r\n')
    expect(answerLines(await outcome)).toEqual(['Manufacturer: huawei', '+GCAP: +CGSM'])
    expect(shown(events)).toEqual(['RING', 'unknown ^HCSQ:"LTE",42', 'SMS Ready'])
  })

  test('an answer is not ended by the end of a call', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const asked = dialogue.execute(testQuery('CSQ'))
    modem.say('NO CARRIER\r\n+CSQ: 20,99\r\nOK\r\n')
    expect(await asked).toMatchObject({ kind: 'ok' })
    expect(shown(events)).toEqual(['NO CARRIER'])
  })

  test('an answer is not ended by a digit, unless the modem uses numeric results', async () => {
    const words = await dialogueInStep()
    const asked = words.dialogue.execute(testQuery('CSQ'))
    words.modem.say('0\r\n+CSQ: 20,99\r\nOK\r\n')
    expect(await asked).toMatchObject({ kind: 'ok', lines: [{ text: '+CSQ: 20,99' }] })

    const digits = scriptedDialogue()
    digits.modem.reply = (line) => ({ AT: '0\r', 'AT+CMEE?': '+CMEE: 0\r\n0\r', 'AT+CSQ?': '4\r' })[line]
    expect(await digits.dialogue.execute(testQuery('CSQ'))).toMatchObject({ kind: 'error', error: { text: 'ERROR' } })
  })

  test('an answer is not ended by a digit after the modem has answered OK as text', async () => {
    const { dialogue, modem } = scriptedDialogue()
    modem.reply = (line) => ({ AT: '0\r', 'AT+CMEE?': '+CMEE: 0\r\n0\r', ATV1: 'OK\r\n' })[line]
    expect(await dialogue.execute({ text: 'ATV1', timeoutMs: 5000 })).toMatchObject({ kind: 'ok' })
    const asked = dialogue.execute(testQuery('CSQ'))
    modem.say('0\r\n+CSQ: 20,99\r\nOK\r\n')
    expect(await asked).toMatchObject({ kind: 'ok', lines: [{ text: '+CSQ: 20,99' }] })
  })

  test('an answer is the same wherever unsolicited codes interrupt it, and however the bytes are divided into chunks', async () => {
    const answer = ['+CMGL: 1,1,,30', deliverPdu, '+CMGL: 2,3,"x",30', deliverPdu, 'OK']
    const news = fc.constantFrom(
      ['+CMTI: "SM",3'],
      ['+CMT: ,30', otherDeliverPdu],
      ['+CMT: "a, b",30', otherDeliverPdu],
      ['+CDS: 25', otherDeliverPdu],
      ['+CBM: 88', otherDeliverPdu],
      ['+CUSD: 1,"1. a', '2. OK', 'ERROR', '> 3",15'],
      ['RING'],
      ['NO CARRIER'],
      ['+CREG: 1,"4CA","81DE",7'],
      ['^RSSI: 12'],
      ['#STN: 37'],
      ['SMS Ready'],
      ['+CPIN: READY'],
      ['a line that nobody knows'],
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(answer.length - 1), news), { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
        async (inserted, sizes) => {
          const { dialogue, modem } = await dialogueInStep()
          const lines = answer.flatMap((line, i) => [
            ...inserted.filter(([at]) => at === i).flatMap(([, n]) => n),
            line,
          ])
          const outcome = dialogue.execute({
            text: 'AT+CMGL=4',
            prefixes: ['+CMGL'],
            withPayload: true,
            timeoutMs: 30_000,
          })
          let rest = `\r\n${lines.join('\r\n')}\r\n`
          for (let i = 0; rest !== ''; i += 1) {
            const size = sizes[i % sizes.length] ?? 1
            modem.say(rest.slice(0, size))
            rest = rest.slice(size)
          }
          expect(await outcome).toMatchObject({ kind: 'ok' })
          expect(answerLines(await outcome)).toEqual([
            `+CMGL: 1,1,,30|${deliverPdu}`,
            `+CMGL: 2,3,"x",30|${deliverPdu}`,
          ])
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('unsolicited codes', () => {
  test('unsolicited codes of several lines are assembled', async () => {
    const { modem, events } = await dialogueInStep()
    modem.say(
      `+CMT: "",30\r\n${deliverPdu}\r\n+CUSD: 1,"Menu\r\n1. Balance\r\n> 2. Data",15\r\n+CMT: "+44",,"26/03/01"\r\nOK\r\n`,
    )
    expect(shown(events)).toEqual([
      `+CMT: "",30|${deliverPdu}`,
      '+CUSD: 1,"Menu\n1. Balance\n>\n2. Data",15',
      '+CMT: "+44",,"26/03/01"|OK',
    ])
  })

  test('unsolicited codes whose PDU is missing are reported without the PDU, and without a delay', async () => {
    const { dialogue, modem, events } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    modem.say(`+CMT: ,30\r\n+CDS: 25\r\n${deliverPdu}\r\n+CBM: 88\r\n+CSQ: 1,99\r\nOK\r\n`)
    expect(answerLines(await outcome)).toEqual(['+CSQ: 1,99'])
    modem.say('RING\r\nRING\r\n')
    expect(shown(events)).toEqual(['+CMT: ,30', `+CDS: 25|${deliverPdu}`, 'RING', '+CBM: 88', 'RING'])
  })

  test('unsolicited codes whose closing quote is lost cause at most one timeout, never a wrong answer', async () => {
    const { dialogue, modem, events, clock } = await dialogueInStep()
    const outcome = dialogue.execute(testQuery('CSQ'))
    modem.say('+CUSD: 0,"cut\r\n+CSQ: 9,99\r\nOK\r\n')
    expect(answerLines(await outcome)).toEqual(['+CSQ: 9,99'])
    await clock.advance(1000)
    modem.say('+CUSD: 0,"cut again\r\n')
    const second = dialogue.execute({ text: 'AT+CMGF=0', timeoutMs: 5000 })
    modem.say('OK\r\n')
    await clock.advance(6000)
    expect(await second).toMatchObject({ kind: 'unanswered', why: 'timeout' })
    expect(dialogue.telemetry.state).toBe('in-step')
    expect(shown(events)).toContain('+CUSD: 0,"cut again\nOK')
  })

  test('unsolicited codes of a profile are recognised after `learn`', async () => {
    const { dialogue, modem, events } = await dialogueInStep({ unsolicited: [{ code: '^RSSI' }] })
    modem.say('^RSSI: 12\r\n^MODE: 5\r\n')
    dialogue.learn([{ code: '^MODE' }])
    modem.say('^MODE: 5\r\n')
    expect(shown(events)).toEqual(['^RSSI: 12', 'unknown ^MODE: 5', '^MODE: 5'])
  })

  test('unsolicited codes show whether a restart is certain or likely', async () => {
    const { modem, events } = await dialogueInStep()
    modem.say('RDY\r\n+CPIN: READY\r\n+CPIN: NOT READY\r\n+QIND: SMS DONE\r\n+QIND: "csq",1\r\n')
    expect(events.map((event) => (event.kind === 'unsolicited' ? event.form.restart : event.kind))).toEqual([
      'certain',
      'likely',
      undefined,
      'likely',
      undefined,
    ])
  })
})
