import { describe, expect, test } from 'vitest'
import { Cancellation } from '../cancellation.ts'
import { deliverPdu } from '../testing/driven-modem.ts'
import { promisesSettled } from '../testing/manual-clock.ts'
import { dialogueInStep, otherDeliverPdu, shown } from '../testing/scripted-dialogue.ts'
import { lateResults, pduWritten, submission, submittedPdu } from '../testing/scripted-submission.ts'

describe('before Ctrl-Z, the message is provably unsent after', () => {
  test.each([
    ['+CMS ERROR: 500', 500],
    ['+CMS ERROR: 332', 332],
    ['ERROR', undefined],
    ['+CME ERROR: SIM busy', 14],
  ])('before Ctrl-Z, the message is provably unsent after %s instead of the prompt', async (line, code) => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    modem.say(`\r\n${line}\r\n`)
    expect(await outcome).toMatchObject({ kind: 'refused', pduWritten: false, error: { code } })
    expect(modem.written).toEqual(['AT+CMGS=19\r'])
  })

  test.each(['+CMS ERROR: 305', 'ERROR'])(
    'before Ctrl-Z, the message is provably unsent after %s after a prompt that may still be open: ESC',
    async (line) => {
      const { dialogue, modem, clock } = await dialogueInStep()
      const outcome = dialogue.submit(submission({ beforePdu: async () => new Promise(() => undefined) }))
      modem.say(`\r\n> \r\n${line}\r\n`)
      await clock.advance(5_000)
      expect(await outcome).toMatchObject({ kind: 'refused', pduWritten: false })
      expect(modem.written.slice(1)).toEqual(['\x1b', '\x1bAT\r', 'AT+CMEE?\r'])
    },
  )

  test.each([
    ['a command of two lines', { command: 'AT+CMGS=19\rAT+CMGD=1,4' }],
    ['a PDU that ends early', { pdu: `${submittedPdu}\x1aAT\r` }],
    ['a character that ends in a CR when cut to a byte', { command: 'AT+CMGS=19\u010d' }],
  ])('before Ctrl-Z, the message is provably unsent after %s, of which nothing is written', async (_what, more) => {
    const { dialogue, modem } = await dialogueInStep()
    expect(await dialogue.submit(submission(more))).toEqual({ kind: 'not-sent', why: 'unwritable' })
    expect(modem.written).toEqual([])
  })

  test('before Ctrl-Z, the message is provably unsent after OK instead of the prompt', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    modem.say('\r\nOK\r\n')
    await clock.advance(2_000)
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'no-prompt' })
    expect(modem.written.slice(1)).toEqual(['\x1b', '\x1bAT\r', 'AT+CMEE?\r'])
  })

  test('before Ctrl-Z, the message is provably unsent if the caller aborts', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.submit(submission({ beforePdu: async () => 'abort' }))
    modem.say('\r\n> ')
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'before-pdu-aborted' })
    expect(modem.written[1]).toBe('\x1b')
  })

  test.each([
    ['rejects', () => Promise.reject(new Error('disk full'))],
    [
      'throws',
      () => {
        throw new Error('disk full')
      },
    ],
  ])('before Ctrl-Z, the message is provably unsent if the caller %s', async (_how, beforePdu) => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.submit(submission({ beforePdu }))
    modem.say('\r\n> ')
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'before-pdu-failed' })
    expect(modem.written[1]).toBe('\x1b')
  })

  test('before Ctrl-Z, the message is provably unsent if the caller takes too long, and the late answer has no effect', async () => {
    const { dialogue, modem, clock } = await dialogueInStep()
    let decide: (decision: 'go') => void = () => undefined
    const beforePdu = () => new Promise<'go'>((resolve) => (decide = resolve))
    const outcome = dialogue.submit(submission({ beforePdu, beforePduLimitMs: 2_000 }))
    modem.say('\r\n> ')
    await clock.advance(2_000)
    decide('go')
    expect(await outcome).toEqual({ kind: 'not-sent', why: 'before-pdu-slow' })
    await promisesSettled()
    expect(modem.written.join('')).not.toContain(submittedPdu)
    expect(modem.written[1]).toBe('\x1b')
  })

  test('before Ctrl-Z, the message is provably unsent after a restart, a lost port or a cancellation', async () => {
    for (const [cause, why] of [
      ['restart', 'restarted'],
      ['lose', 'port-lost'],
      ['cancel', 'cancelled'],
    ] as const) {
      for (const atPrompt of [false, true]) {
        const { dialogue, modem, clock } = await dialogueInStep()
        const cancellation = new Cancellation()
        const never = async () => new Promise<'go'>(() => undefined)
        const outcome = dialogue.submit(submission({ beforePdu: never }), cancellation)
        if (atPrompt) modem.say('\r\n> ')
        if (cause === 'restart') modem.say('\r\nRDY\r\n')
        if (cause === 'lose') modem.lose()
        if (cause === 'cancel') cancellation.cancel()
        await clock.advance(5_000)
        expect(await outcome).toEqual({ kind: 'not-sent', why })
        expect(modem.written.join('')).not.toContain('\x1a')
      }
    }
  })
})

describe('after Ctrl-Z', () => {
  test('the message is accepted as soon as the reference is read, even without OK', async () => {
    const { outcome, modem, clock, dialogue } = await pduWritten()
    modem.say('\r\n+CMGS: 255,"26/03/01,15:46:11+28"\r\n')
    expect(await outcome).toEqual({
      kind: 'accepted',
      messageReference: 255,
      detail: '"26/03/01,15:46:11+28"',
      duplicate: false,
    })
    expect(dialogue.telemetry.inFlight).toBe('AT+CMGS=19')
    await clock.advance(5_000)
    expect(modem.written.slice(2)).toEqual(['\x1bAT\r', 'AT+CMEE?\r'])
  })

  test.each([
    ['+CMGS:7', 7],
    ['+CMGS: "7"', 7],
    ['+CMGS: 300', undefined],
  ])('%s means acceptance, even if the number is unreadable', async (line, messageReference) => {
    const { outcome, modem } = await pduWritten()
    modem.say(`\r\n${line}\r\nERROR\r\n`)
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference })
  })

  test.each(['+CMGS=19', '+CMGS: (1-3)', '+CMGS:', '+CMGS: x', '+CMGS'])(
    '%s is not an acceptance, because it gives no reference',
    async (line) => {
      const refused = await pduWritten()
      refused.modem.say(`\r\n${line}\r\n+CMS ERROR: 38\r\n`)
      expect(await refused.outcome).toMatchObject({ kind: 'refused' })
      const silent = await pduWritten()
      silent.modem.say(`\r\n${line}\r\n\r\nOK\r\n`)
      expect(await silent.outcome).toMatchObject({ kind: 'unknown', why: 'no-reference' })
    },
  )

  test('a stray ERROR does not hide the reference after it, and its OK does not answer the next command', async () => {
    const { outcome, modem, dialogue, events } = await pduWritten()
    modem.reply = (line) => (line === 'AT' ? '' : undefined)
    modem.say('\r\nERROR\r\n')
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code', error: { text: 'ERROR' } })
    const next = dialogue.execute({ text: 'AT+CMGD=3', timeoutMs: 5_000 })
    modem.reply = (line) => (line === 'AT+CMGD=3' ? '\r\n+CMS ERROR: 321\r\n' : undefined)
    modem.say('\r\n+CMGS: 5\r\n\r\nOK\r\n')
    expect(await next).toMatchObject({ kind: 'error', error: { code: 321 } })
    expect(lateResults(events)).toMatchObject([{ outcome: { kind: 'accepted', messageReference: 5 } }])
  })

  test('the echo of the PDU, whole or in pieces, does not count as another PDU', async () => {
    const { outcome, modem, events } = await pduWritten()
    const [begin, end] = [submittedPdu.slice(0, 10), submittedPdu.slice(10)]
    modem.say(`${begin}\r\n+CMT: ,30\r\n${end}\x1a\r\n${deliverPdu}\r\n+CMT: ,30\r\n`)
    modem.say(`${submittedPdu}\x1a\r\n${otherDeliverPdu}\r\n+CMGS: 3\r\n\r\nOK\r\n`)
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 3 })
    expect(shown(events)).toEqual([`+CMT: ,30|${deliverPdu}`, `+CMT: ,30|${otherDeliverPdu}`])
  })

  test('the echo of a PDU does not count as another PDU, even if the length matches', async () => {
    const { outcome, modem, events } = await pduWritten()
    modem.say(`+CMT: ,19\r\n${submittedPdu}\x1a\r\n+CMGS: 3\r\n\r\nOK\r\n`)
    expect(await outcome).toMatchObject({ kind: 'accepted' })
    modem.say('RING\r\nRING\r\n')
    expect(shown(events)).toEqual(['RING', '+CMT: ,19', 'RING'])
  })

  test('digits that may be a corrupted echo do not count as a PDU of another length', async () => {
    const { outcome, modem, events } = await pduWritten()
    modem.say(`+CMT: ,30\r\n${submittedPdu.replace('91', '')}\r\n${deliverPdu}\r\n+CMGS: 3\r\n`)
    expect(await outcome).toMatchObject({ kind: 'accepted' })
    const garbled = `unknown ${submittedPdu.replace('91', '')}`
    expect(shown(events)).toEqual([garbled, `+CMT: ,30|${deliverPdu}`])
  })

  test.each([
    [38, 'temporary'],
    [21, 'permanent'],
    [310, 'sim'],
    [331, 'registration'],
    [322, 'storage'],
    [304, 'permanent'],
  ])('+CMS ERROR: %i is a refusal', async (code, errorClass) => {
    const { outcome, modem, dialogue } = await pduWritten()
    modem.say(`\r\n+CMS ERROR: ${code}\r\n`)
    expect(await outcome).toMatchObject({ kind: 'refused', pduWritten: true, error: { code, class: errorClass } })
    expect(dialogue.telemetry.state).toBe('in-step')
  })

  test.each([
    '+CMS ERROR: 332',
    '+CMS ERROR: 500',
    '+CMS ERROR: 513',
    '+CMS ERROR: Unknown error',
    '+CMS ERROR: 9999',
    '+CMS ERROR:',
    '+CMS ERROR: 340',
    '+CME ERROR: 100',
    'ERROR',
    'COMMAND NOT SUPPORT',
  ])('%s leaves the outcome unknown', async (line) => {
    const { outcome, modem } = await pduWritten()
    modem.say(`\r\n${line}\r\n`)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code', error: { text: line } })
  })

  test('+CMS ERROR: 197 means acceptance: the service centre already has the message', async () => {
    const { outcome, modem } = await pduWritten()
    modem.say('\r\n+CMS ERROR: 197\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: undefined, duplicate: true })
  })

  test('OK without a reference leaves the outcome unknown', async () => {
    const { outcome, modem } = await pduWritten()
    modem.say('\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'no-reference' })
  })

  test('a missing result leaves the outcome unknown, exactly after the configured time, even if the modem sends other output', async () => {
    const { outcome, modem, clock, dialogue } = await pduWritten({ resultTimeoutMs: 300_000 })
    for (let i = 0; i < 299; i += 1) {
      modem.say('^RSSI: 12\r\n> ')
      await clock.advance(1_000)
    }
    expect(dialogue.telemetry.inFlight).toBe('AT+CMGS=19')
    await clock.advance(1_000)
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'silence' })
  })

  test('a lost port or a restart leaves the outcome unknown', async () => {
    const lost = await pduWritten()
    lost.modem.lose()
    expect(await lost.outcome).toMatchObject({ kind: 'unknown', why: 'port-lost' })
    const restarted = await pduWritten()
    restarted.modem.say('\r\nRDY\r\n')
    expect(await restarted.outcome).toMatchObject({ kind: 'unknown', why: 'restarted' })
  })

  test('a port that fails while the PDU is written leaves the outcome unknown', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const outcome = dialogue.submit(submission())
    modem.write = () => {
      throw new Error('EIO')
    }
    modem.say('\r\n> ')
    expect(await outcome).toMatchObject({ kind: 'unknown', why: 'port-lost' })
  })

  test('a cancellation has no effect', async () => {
    const { dialogue, modem } = await dialogueInStep()
    const cancellation = new Cancellation()
    const outcome = dialogue.submit(submission(), cancellation)
    modem.say('\r\n> ')
    await promisesSettled()
    cancellation.cancel()
    modem.say('\r\n+CMGS: 3\r\nOK\r\n')
    expect(await outcome).toMatchObject({ kind: 'accepted', messageReference: 3 })
  })
})
