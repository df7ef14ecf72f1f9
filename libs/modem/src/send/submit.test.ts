import { describe, expect, test } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { DrivenModem, submitPdu } from '../testing/driven-modem.ts'
import type { SubmitOutcome } from './submit.ts'

async function started(answers: Answers = {}): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  driven.forget()
  return driven
}

const submissions = (driven: DrivenModem) => driven.port.commands.filter((command) => command.startsWith('AT+CMGS='))

describe('a message', () => {
  test('a message needs only one command', async () => {
    const driven = await started()
    expect(await driven.submit()).toEqual({
      kind: 'accepted',
      messageReference: 17,
      detail: undefined,
      duplicate: false,
    })
    expect(driven.port.commands).toEqual(['AT+CMGS=19'])
    expect(driven.port.pdus).toEqual(['0011000B916407281553F80000AA05E8329BFD06'])
  })

  test('a message is written only after the hook has returned "go"', async () => {
    const driven = await started()
    const written: string[][] = []
    await driven.submit('a', {
      beforePdu: async () => {
        written.push([...driven.port.pdus])
        return 'go'
      },
    })
    expect(written).toEqual([[]])
    expect(driven.port.pdus).toHaveLength(1)
  })

  test('a message with a slow hook is cancelled with ESC, and a late go has no effect', async () => {
    const driven = await started()
    let go: (decision: 'go') => void = () => undefined
    const outcome = driven.submit('a', { beforePdu: () => new Promise((resolve) => (go = resolve)) })
    expect(await driven.passing(outcome)).toEqual({ kind: 'not-sent', why: 'before-pdu-slow' })
    go('go')
    await driven.pass(1000)
    expect(driven.port.pdus).toEqual([])
    expect(driven.port.written.at(-1)).not.toContain('\x1a')
  })

  test('a message reports its result before the next submission begins', async () => {
    const driven = await started({ PDU: ['+CMGS: 1', '+CMGS: 2'] })
    const calls: string[] = []
    const afterResult = (id: string) => (outcome: SubmitOutcome) => {
      const reference = outcome.kind === 'accepted' ? outcome.messageReference : outcome.kind
      calls.push(`${id}: ${reference}, ${driven.port.pdus.length} written`)
    }
    const both = [
      driven.submit('a', { afterResult: afterResult('a') }),
      driven.submit('b', { afterResult: afterResult('b') }),
    ]
    await Promise.all(both)
    expect(calls).toEqual(['a: 1, 1 written', 'b: 2, 2 written'])
  })

  test('a message whose result is stored slowly delays only its own caller', async () => {
    const driven = await started()
    let written = false
    const first = driven.submit('a', { afterResult: () => new Promise(() => undefined) }).then(() => (written = true))
    expect((await driven.submit('b')).kind).toBe('accepted')
    expect(written).toBe(false)
    void first
  })

  test.each([
    ['+CMS ERROR: 21', 'refused', 'permanent'],
    ['+CMS ERROR: 42', 'refused', 'temporary'],
    ['+CMS ERROR: 50', 'refused', 'permanent'],
    ['+CMS ERROR: 310', 'refused', 'sim'],
    ['+CMS ERROR: 331', 'refused', 'registration'],
    ['+CMS ERROR: 322', 'refused', 'storage'],
  ])('%s: %s, %s', async (answer, kind, errorClass) => {
    const driven = await started({ PDU: answer })
    const outcome = await driven.submit()
    expect(outcome).toMatchObject({ kind, error: { class: errorClass }, pduWritten: true })
    if (outcome.kind === 'refused') expect(outcome.error.words).not.toBe('')
  })

  test.each(['+CMS ERROR: 332', '+CMS ERROR: 500', '+CMS ERROR: 513', 'ERROR', '+CMS ERROR: Unknown error'])(
    '%s makes the outcome unknown',
    async (answer) => expect(await (await started({ PDU: answer })).submit()).toMatchObject({ kind: 'unknown' }),
  )

  test('a message that the service centre already has (197) is accepted', async () => {
    const driven = await started({ PDU: '+CMS ERROR: 197' })
    expect(await driven.submit()).toMatchObject({ kind: 'accepted', duplicate: true })
  })

  test('a message is accepted as soon as its reference is read, with or without OK', async () => {
    const driven = await started({ PDU: 'raw:\r\n+CMGS: 9\r\n' })
    expect(await driven.submit()).toMatchObject({ kind: 'accepted', messageReference: 9 })
  })

  test('a message without an answer is unknown, and a later answer is reported with its id', async () => {
    const driven = await started({ PDU: 'silence' })
    expect(await driven.passing(driven.submit('first'))).toMatchObject({ kind: 'unknown', why: 'silence' })
    driven.port.tell('+CMGS: 33\nOK')
    await driven.pass(100)
    expect(driven.kinds('late-result')).toEqual([
      { kind: 'late-result', id: 'first', outcome: { kind: 'accepted', messageReference: 33, detail: undefined } },
    ])
  })
})

describe("an error in the caller's code affects no other message", () => {
  test('a listener that throws: the caller receives the error, and the next messages are sent', async () => {
    const driven = await started({ PDU: ['+CMGS: 1', '+CMGS: 2', '+CMGS: 3'] })
    const calls: string[] = []
    const events = driven.events as unknown as { push: (event: { kind: string; id?: string }) => void }
    const push = events.push.bind(events)
    events.push = (event) => {
      push(event)
      if (event.kind === 'submitted' && event.id === 'a') throw new Error('a mistake')
    }
    const first = driven.submit('a', { afterResult: (outcome) => void calls.push(outcome.kind) })
    const waiting = driven.submit('b')
    await expect(first).rejects.toThrow('a mistake')
    expect(calls).toEqual(['accepted'])
    expect(await driven.passing(waiting)).toMatchObject({ kind: 'accepted', messageReference: 2 })
    expect(await driven.passing(driven.submit('c'))).toMatchObject({ kind: 'accepted', messageReference: 3 })
  })

  const error = new Error('the disk is full')
  test.each([
    ['rejects', () => Promise.reject(error)],
    [
      'throws',
      () => {
        throw error
      },
    ],
  ])('an `afterResult` that %s does not hide the outcome, and its failure is reported', async (_how, afterResult) => {
    const driven = await started({ PDU: ['+CMGS: 1', '+CMGS: 2'] })
    expect(await driven.submit('a', { afterResult })).toEqual({
      kind: 'accepted',
      messageReference: 1,
      detail: undefined,
      duplicate: false,
      afterResultFailure: { error },
    })
    expect(await driven.submit('b')).not.toHaveProperty('afterResultFailure')
  })
})

describe('before the modem is set up', () => {
  test('a message ends without being sent', async () => {
    expect(await new DrivenModem().submit()).toEqual({ kind: 'not-sent', why: 'not-ready' })
  })
})

describe('a burst', () => {
  test('a burst is announced to the modem once', async () => {
    const driven = await started({ 'AT+CMMS=1': 'OK' })
    await Promise.all(['a', 'b', 'c'].map((id) => driven.submit(id)))
    // The first message was already being sent when the other messages were queued.
    expect(driven.port.commands).toEqual(['AT+CMGS=19', 'AT+CMMS=1', 'AT+CMGS=19', 'AT+CMGS=19'])
  })

  test('a burst of single messages is announced if the caller sets `moreFollow`', async () => {
    const driven = await started({ 'AT+CMMS=1': 'OK' })
    for (const moreFollow of [true, true, false]) await driven.submit('a', { moreFollow })
    expect(driven.port.commands).toEqual(['AT+CMMS=1', 'AT+CMGS=19', 'AT+CMGS=19', 'AT+CMGS=19'])
  })

  test('a burst is announced again when the modem has closed the link', async () => {
    const driven = await started({ 'AT+CMMS=1': 'OK' })
    await driven.submit('a', { moreFollow: true })
    await driven.pass(1500)
    await driven.submit('b', { moreFollow: true })
    expect(driven.port.commands.filter((command) => command === 'AT+CMMS=1')).toHaveLength(2)
  })

  test('a burst is not announced to a modem that has refused an announcement', async () => {
    const driven = await started()
    await driven.submit('a', { moreFollow: true })
    await driven.submit('b', { moreFollow: true })
    expect(driven.port.commands.filter((command) => command === 'AT+CMMS=1')).toHaveLength(1)
  })
})

describe('a modem that restarts', () => {
  test('a modem that restarts never receives AT+CMGS before it is in PDU mode again', async () => {
    const driven = await started({ PDU: 'silence' })
    const inFlight = driven.submit('in flight')
    const waiting = driven.submit('waiting')
    await driven.pass(100)
    driven.port.tell('RDY')
    expect(await driven.passing(inFlight)).toMatchObject({ kind: 'unknown', why: 'restarted' })
    expect(await driven.passing(waiting)).toEqual({ kind: 'not-sent', why: 'not-ready' })
    await driven.pass(1000)
    expect(submissions(driven)).toHaveLength(1)
    driven.port.answer('PDU', '+CMGS: 1')
    expect((await driven.submit()).kind).toBe('accepted')
    const commands = driven.port.commands
    expect(commands.indexOf('AT+CMGF=0')).toBeGreaterThan(0)
    expect(commands.indexOf('AT+CMGF=0')).toBeLessThan(commands.lastIndexOf('AT+CMGS=19'))
  })

  test('a restart withdraws a message that is queued behind another command', async () => {
    const driven = await started({ 'AT+COPS?': 'silence' })
    const asked = driven.modem.ask({ text: 'AT+COPS?', timeoutMs: 10_000, read: () => true })
    const outcome = driven.submit()
    await driven.pass(100)
    driven.port.tell('RDY')
    expect(await driven.passing(outcome)).toEqual({ kind: 'not-sent', why: 'not-ready' })
    expect(submissions(driven)).toEqual([])
    await asked
  })

  test('delays messages during the restart check, and sends them if there was no restart', async () => {
    const driven = await started()
    await driven.pass(2000)
    driven.forget()
    driven.port.answer('AT+CMGF?', 'silence')
    driven.port.tell('+CPIN: READY')
    const outcome = driven.submit()
    await driven.pass(100)
    expect(submissions(driven)).toEqual([])
    driven.port.tell('+CMGF: 0\nOK')
    expect((await driven.passing(outcome)).kind).toBe('accepted')
    expect(driven.kinds('restarted')).toEqual([])
  })
})

describe('during the restart check', () => {
  test('during the restart check, nothing is sent between the two questions or before the new setup has ended', async () => {
    const driven = await started()
    await driven.pass(2000)
    driven.forget()
    driven.port.answer('AT+CNMI?', ['+CNMI: 0,0,0,0,0', '+CNMI: 2,1,0,1,0'])
    driven.port.answer('AT+CMGF?', 'silence')
    driven.port.tell('SMS Ready')
    const outcome = driven.submit()
    driven.port.tell('+CMGF: 0\nOK')
    expect(await driven.passing(outcome)).toEqual({ kind: 'not-sent', why: 'not-ready' })
    await driven.pass(1000)
    expect(submissions(driven)).toEqual([])
    expect(driven.modem.state.name).toBe('ready')
  })
})

test('a restart during the announcement of a burst sends nothing', async () => {
  const driven = await started({ 'AT+CMMS=1': 'silence' })
  const outcome = driven.submit('a', { moreFollow: true })
  await driven.pass(100)
  driven.port.tell('RDY')
  expect(await driven.passing(outcome)).toEqual({ kind: 'not-sent', why: 'not-ready' })
  await driven.pass(1000)
  expect(submissions(driven)).toEqual([])
})

test('empties a full memory when the modem reports that the memory is full', async () => {
  const driven = await started({ PDU: '+CMS ERROR: 322' })
  await driven.submit()
  await driven.pass(100)
  expect(driven.port.commands).toContain('AT+CMGL=4')
  expect(submitPdu.tpduLength).toBe(submitPdu.octets.length - 1)
})

describe('a result that deviates from the standard', () => {
  test('a result that deviates from the standard is accepted without OK after the reference, and the next message is sent', async () => {
    const driven = new DrivenModem({ PDU: 'raw:\r\n+CMGS: 17\r\n' })
    await driven.session()
    expect(await driven.passing(driven.submit('a'))).toMatchObject({ kind: 'accepted', messageReference: 17 })
    expect(await driven.passing(driven.submit('b'))).toMatchObject({ kind: 'accepted', messageReference: 17 })
  })

  test('a result that deviates from the standard is accepted late when the reference follows the OK', async () => {
    const driven = new DrivenModem({ PDU: 'raw:\r\nOK\r\n\r\n+CMGS: 17\r\n' })
    await driven.session()
    expect(await driven.passing(driven.submit('a'))).toMatchObject({ kind: 'unknown', why: 'no-reference' })
    await driven.pass(500)
    expect(driven.kinds('late-result')).toMatchObject([
      { id: 'a', outcome: { kind: 'accepted', messageReference: 17 } },
    ])
  })

  test('a result that deviates from the standard makes the outcome unknown without a reference, and the next message is sent', async () => {
    const driven = new DrivenModem({ PDU: 'OK' })
    await driven.session()
    expect(await driven.passing(driven.submit('a'))).toMatchObject({ kind: 'unknown', why: 'no-reference' })
    driven.port.answer('PDU', '+CMGS: 18')
    expect(await driven.passing(driven.submit('b'))).toMatchObject({ kind: 'accepted', messageReference: 18 })
  })
})
