import { decodeDeliver } from '@smsgw/sms/tpdu/deliver'
import type { FaultSettings } from '@smsgw/virtual-modem/faults/fault-control'
import { describe, expect, test } from 'vitest'
import type { Incoming } from '../receive/incoming-message.ts'
import type { SubmitOutcome } from '../send/submit.ts'
import { PinMemory } from '../setup/pin-memory.ts'
import { DrivenStick, started } from '../testing/driven-stick.ts'
import { StickWorld, stickImei, stickNumber } from '../testing/stick-world.ts'

const accepted = { kind: 'accepted', messageReference: undefined }

describe('setup', () => {
  test('identifies stick, SIM and network, and reports the limitations of a web interface', async () => {
    const driven = new DrivenStick()
    const outcome = await driven.start()
    expect(outcome).toMatchObject({
      kind: 'started',
      session: {
        identity: { imei: stickImei, model: 'E3372h-320' },
        sim: { iccid: '8944100000000000017', imsi: '001010000000001', ownNumbers: [{ number: stickNumber }] },
        shortcomings: ['web-interface'],
      },
    })
    expect(driven.states).toEqual(['probing', 'identifying', 'sim', 'registering', 'ready'])
    expect(await driven.world.passing(driven.modem.readOperator())).toBe('Virtual Mobile')
    expect(await driven.world.passing(driven.modem.signal())).toMatchObject({ bars: expect.any(Number) })
    expect(driven.modem.storage).toEqual([{ memory: 'ME', used: 0, total: 500, full: false }])
  })

  test.each([
    ['no-sim', { sim: null }],
    ['pin-required', { sim: { pin: '1234' } }],
    ['puk-required', { sim: { pin: '1234', pinAttemptsLeft: 0 } }],
    ['login-required', { faults: { 'web-login': {} } }],
    ['no-answer', { faults: { 'web-rubbish': {} } }],
  ] as const)('explains %s', async (reason, options) => {
    const outcome = await new DrivenStick(new StickWorld(options)).start()
    expect(outcome).toMatchObject({ kind: 'failed', failure: { reason } })
  })

  test('enters the PIN once, and deletes its record when the SIM is ready', async () => {
    const memory = new PinMemory()
    const driven = new DrivenStick(new StickWorld({ sim: { pin: '1234' } }), { simPin: '1234' }, memory)
    expect((await driven.start()).kind).toBe('started')
    expect(memory.records).toEqual([])
  })

  test('never enters a wrong PIN twice, and never uses the last attempt', async () => {
    const world = new StickWorld({ sim: { pin: '1234' } })
    const driven = new DrivenStick(world, { simPin: '9999' })
    expect(await driven.start()).toMatchObject({ kind: 'failed', failure: { reason: 'pin-wrong', triesLeft: 2 } })
    await world.pass(300_000)
    expect(world.stick.snapshot().sim?.pinAttemptsLeft).toBe(2)
    const last = new DrivenStick(new StickWorld({ sim: { pin: '1234', pinAttemptsLeft: 1 } }), { simPin: '1234' })
    expect(await last.start()).toMatchObject({ kind: 'failed', failure: { reason: 'pin-last-try' } })
  })
})

describe('sending', () => {
  test.each([
    ['GSM-7', 'Hello [world] & <friends> "€"'],
    ['UCS-2', 'Привет, мир 👍'],
    ['long', 'All work and no play makes Jack a dull boy. '.repeat(12)],
    ['with line ends', 'one\ntwo\r\nthree'],
  ])('sends a %s text with one request', async (_name, text) => {
    const driven = await started()
    expect(await driven.send(text)).toMatchObject(accepted)
    expect(driven.world.sent).toEqual([`+447400123456 ${text}`])
    expect(driven.world.requests.filter((each) => each === 'POST /api/sms/send-sms')).toHaveLength(1)
  })

  test.each(['delivered', 'rejected'] as const)(
    'removes the copy that the stick keeps of a %s message',
    async (outcome) => {
      const driven = await started()
      driven.world.network.setDeliveryPolicy(
        '+447400123456',
        outcome === 'rejected' ? { outcome, cause: 38 } : { outcome },
      )
      await driven.send('Hello')
      await driven.world.pass(61_000)
      expect(driven.modem.storage).toEqual([{ memory: 'ME', used: 0, total: 500, full: false }])
    },
  )

  test('sends nothing without consent', async () => {
    const driven = await started()
    expect(await driven.send('Hello', undefined, async () => 'abort')).toMatchObject({ kind: 'not-sent' })
    expect(driven.world.ledger).toEqual([])
  })

  test.each<[string, FaultSettings, Partial<SubmitOutcome>, number]>([
    ['a lost reply', { 'submit-answer-lost': {} }, { kind: 'unknown', why: 'answer-lost' }, 1],
    ['a stick that hangs', { 'submit-hang': { forMs: 90_000 } }, { kind: 'unknown', why: 'answer-lost' }, 1],
    ['a lost port', { 'submit-port-drop': { accepted: true } }, { kind: 'unknown', why: 'answer-lost' }, 1],
    ['a restart', { 'submit-reboot': { accepted: true } }, { kind: 'unknown', why: 'answer-lost' }, 1],
    ['an ambiguous code', { 'submit-error': { accepted: true } }, { kind: 'unknown', why: 'ambiguous-code' }, 1],
    ['half a reply', { 'web-cut': { path: 'send-sms' } }, { kind: 'unknown', why: 'answer-lost' }, 1],
    ['rubbish', { 'web-rubbish': { path: 'send-sms' } }, { kind: 'unknown', why: 'answer-lost' }, 1],
    ['a huge reply', { 'web-huge': { path: 'send-sms' } }, { kind: 'unknown', why: 'answer-lost' }, 1],
    ['a redirect', { 'web-redirect': { path: 'send-sms' } }, { kind: 'unknown', why: 'answer-lost' }, 0],
    ['a stick that is busy', { 'submit-error': {} }, { kind: 'refused', pduWritten: true }, 0],
    ['a slow network', { 'submit-slow': { delayMs: 40_000 } }, accepted as SubmitOutcome, 1],
    ['a lost status', { 'web-lost': { path: 'send-status', times: 3 } }, accepted as SubmitOutcome, 1],
    ['no status', { 'web-lost': { path: 'send-status' } }, { kind: 'unknown', why: 'answer-lost' }, 1],
    [
      'a lost list',
      { 'web-lost': { path: 'sms-list' }, 'submit-slow': { delayMs: 20_000 } },
      accepted as SubmitOutcome,
      1,
    ],
    ['lost sessions', { 'web-sessions-lost': { times: 1, skip: 1 } }, accepted as SubmitOutcome, 1],
  ])('after %s, never sends twice', async (_name, faults, outcome, times) => {
    const driven = await started(faults)
    expect(await driven.send('Hello')).toMatchObject(outcome)
    await driven.world.pass(300_000)
    expect(driven.world.sent).toHaveLength(times)
  })

  test('keeps a message in doubt when the stick refuses the number without a reason', async () => {
    const driven = await started()
    driven.world.network.setDeliveryPolicy('+447400123456', { outcome: 'rejected', cause: 38 })
    const outcome = await driven.send('Hello')
    expect(outcome).toMatchObject({ kind: 'unknown', why: 'ambiguous-code', error: { text: 'FailPhone' } })
  })

  test('does not send with another stick that answers in a new session', async () => {
    const driven = await started()
    const other = driven.world.newStick({ sim: { iccid: '8944100000000000099' } }, '356938035648104')
    const outcome = await driven.send('Hello', undefined, async () => {
      driven.world.stick = other
      return 'go'
    })
    expect(outcome).toEqual({ kind: 'not-sent', why: 'restarted' })
    expect(driven.world.ledger).toEqual([])
  })

  test('does not send with another stick that has answered since the last poll', async () => {
    const driven = await started()
    driven.world.stick = driven.world.newStick({ sim: { iccid: '8944100000000000099' } }, '356938035648104')
    expect(await driven.send('Hello')).toEqual({ kind: 'not-sent', why: 'restarted' })
    expect(driven.world.ledger).toEqual([])
  })

  test('refuses a PDU', async () => {
    const driven = await started()
    const pdu = { octets: new Uint8Array(1), tpduLength: 0 }
    const outcome = await driven.modem.submit(pdu, { id: 'a', beforePdu: async () => 'go' })
    expect(outcome).toEqual({ kind: 'not-sent', why: 'unwritable' })
  })
})

describe('receiving', () => {
  test.each([
    ['GSM-7', '447400123456', 'Hello [world] & <friends> "€" \'x\''],
    ['UCS-2', '447400123456', 'Привет 👍'],
    ['from a name', 'Bank', 'Your code is 1234'],
  ])('reads a %s text, and keeps it until it is deleted', async (_name, sender, text) => {
    const driven = await started()
    driven.world.network.sendText(sender === 'Bank' ? sender : `+${sender}`, stickNumber, text)
    await driven.world.pass(10_000)
    expect(driven.texts).toEqual([`${sender} ${text}`])
    const [message] = driven.incoming
    if (message === undefined) throw new Error('nothing arrived')
    expect(decodeDeliver(new Uint8Array(Buffer.from(message.pdu, 'hex')), 1).serviceCentreTimeStamp).toMatchObject({
      year: 2026,
      month: 3,
      hour: 12,
    })
    expect(driven.world.stick.snapshot().memories).toContainEqual({ name: 'ME', used: 1, capacity: 500 })
    expect(await driven.delete(message)).toBe('deleted')
    expect(driven.world.stick.snapshot().memories).toContainEqual({ name: 'ME', used: 0, capacity: 500 })
    expect(await driven.delete(message)).toBe('already-gone')
  })

  test('reports a long message as parts, and deletes it when all parts are stored', async () => {
    const driven = await started()
    const text = 'All work and no play makes Jack a dull boy. '.repeat(10)
    driven.world.network.sendText('+447400123456', stickNumber, text)
    await driven.world.pass(10_000)
    expect(driven.incoming).toHaveLength(3)
    const [first, second, third] = driven.incoming as [Incoming, Incoming, Incoming]
    expect(await driven.delete(first)).toBe('deferred')
    expect(await driven.delete(third)).toBe('deferred')
    expect(driven.world.stick.snapshot().memories).toContainEqual({ name: 'ME', used: 3, capacity: 500 })
    expect(await driven.delete(second)).toBe('deleted')
    expect(await driven.delete(first)).toBe('already-gone')
    expect(driven.world.stick.snapshot().memories).toContainEqual({ name: 'ME', used: 0, capacity: 500 })
  })

  test('does not delete another message that now has the same index', async () => {
    const driven = await started()
    driven.world.network.sendText('+447400123456', stickNumber, 'first')
    await driven.world.pass(10_000)
    const [first] = driven.incoming as [Incoming]
    expect(await driven.delete(first)).toBe('deleted')
    driven.world.network.sendText('+447400123456', stickNumber, 'second')
    await driven.world.pass(10_000)
    expect(await driven.delete(first)).toBe('another-message')
    expect(driven.texts).toEqual(['447400123456 first', '447400123456 second'])
    expect(driven.world.stick.snapshot().memories).toContainEqual({ name: 'ME', used: 1, capacity: 500 })
  })

  test('reads 120 messages on several pages, each once', async () => {
    const driven = await started()
    for (let i = 0; i < 120; i += 1) driven.world.network.sendText('+447400123456', stickNumber, `message ${i}`)
    await driven.world.pass(20_000)
    expect(new Set(driven.texts).size).toBe(120)
    expect(driven.texts).toHaveLength(120)
  })

  test.each<[string, FaultSettings]>([
    ['late', { 'web-late': { path: 'sms-list', times: 2 } }],
    ['lost', { 'web-lost': { path: 'sms-list', times: 3 } }],
    ['cut', { 'web-cut': { path: 'sms-list', times: 3 } }],
    ['rubbish', { 'web-rubbish': { path: 'sms-list', times: 3 } }],
    ['huge', { 'web-huge': { path: 'sms-list', times: 3 } }],
    ['redirected', { 'web-redirect': { path: 'sms-list', times: 3 } }],
    ['refused for its session', { 'web-sessions-lost': { times: 5 } }],
  ])('finds the message when the list is %s', async (_name, faults) => {
    const driven = await started(faults)
    driven.world.network.sendText('+447400123456', stickNumber, 'Hello')
    await driven.world.pass(120_000)
    expect(driven.texts).toEqual(['447400123456 Hello'])
  })

  test('repeats a refused deletion', async () => {
    const driven = await started({ 'delete-refused': { times: 1 } })
    driven.world.network.sendText('+447400123456', stickNumber, 'Hello')
    await driven.world.pass(10_000)
    const [message] = driven.incoming as [Incoming]
    expect(await driven.delete(message)).toBe('failed')
    expect(await driven.delete(message)).toBe('deleted')
  })
})

describe('deleting several messages', () => {
  const used = ({ world }: DrivenStick) => world.stick.snapshot().memories.find(({ name }) => name === 'ME')?.used

  async function holding(texts: readonly string[], faults?: FaultSettings) {
    const driven = await started(faults)
    for (const text of texts) driven.world.network.sendText('+447400123456', stickNumber, text)
    await driven.world.pass(20_000)
    return { driven, messages: driven.incoming }
  }

  const deleteAll = (driven: DrivenStick, messages: readonly Incoming[]) =>
    Promise.all(messages.map((message) => driven.delete(message)))

  test('lists the inbox once before the deletions and once after them, and deletes several messages with one request', async () => {
    const texts = Array.from({ length: 45 }, (_, i) => `message ${i}`)
    const { driven, messages } = await holding(texts)
    driven.world.requests.length = 0
    expect(new Set(await deleteAll(driven, messages))).toEqual(new Set(['deleted']))
    expect(used(driven)).toBe(0)
    const deletions = driven.world.requests.filter((each) => each.endsWith('delete-sms'))
    expect(deletions).toHaveLength(3)
    const first = driven.world.requests.indexOf('POST /api/sms/delete-sms')
    expect(driven.world.requests.slice(0, first).filter((each) => each.endsWith('sms-list'))).toHaveLength(3)
  })

  test('keeps a long message with a part that is not stored', async () => {
    const { driven, messages } = await holding(['x'.repeat(400), 'short'])
    const [first, second, third, short] = messages as [Incoming, Incoming, Incoming, Incoming]
    expect(await deleteAll(driven, [first, short, third])).toEqual(['deferred', 'deleted', 'deferred'])
    expect(used(driven)).toBe(3)
    expect(await deleteAll(driven, [second])).toEqual(['deleted'])
    expect(used(driven)).toBe(0)
  })

  test('keeps a message that now has the index of a deleted message', async () => {
    const { driven, messages } = await holding(['first', 'second', 'third'])
    expect(await driven.delete(messages[0] as Incoming)).toBe('deleted')
    driven.world.network.sendText('+447400123456', stickNumber, 'new')
    await driven.world.pass(10_000)
    expect(await deleteAll(driven, messages)).toEqual(['another-message', 'deleted', 'deleted'])
    expect(used(driven)).toBe(1)
  })

  test.each<[string, FaultSettings, readonly string[], readonly string[]]>([
    [
      'names those as failed that the stick still holds after its OK',
      { 'web-deletes-partly': {} },
      ['deleted', 'failed', 'failed'],
      ['already-gone', 'deleted', 'deleted'],
    ],
    [
      'deletes one at a time after the stick has refused several',
      { 'web-deletes-partly': { deletes: 0, refused: true } },
      ['failed', 'failed', 'failed'],
      ['deleted', 'deleted', 'deleted'],
    ],
    [
      'finds those gone that the stick has deleted before it refused',
      { 'web-deletes-partly': { deletes: 2, refused: true } },
      ['failed', 'failed', 'failed'],
      ['already-gone', 'already-gone', 'deleted'],
    ],
    [
      'finds all of them gone after a lost reply',
      { 'web-lost': { path: 'delete-sms', times: 1 } },
      ['failed', 'failed', 'failed'],
      ['already-gone', 'already-gone', 'already-gone'],
    ],
    [
      'does not repeat a deletion in another session',
      { 'web-sessions-lost': { times: 1, skip: 1 } },
      ['failed', 'failed', 'failed'],
      ['deleted', 'deleted', 'deleted'],
    ],
  ])('%s', async (_name, faults, first, second) => {
    const { driven, messages } = await holding(['first', 'second', 'third'])
    for (const name of Object.keys(faults) as (keyof FaultSettings)[]) driven.world.stick.faults.set(name, faults[name])
    expect(await deleteAll(driven, messages)).toEqual(first)
    expect(await deleteAll(driven, messages)).toEqual(second)
    expect(used(driven)).toBe(0)
  })

  test('deletes nothing from another stick that answers after the list', async () => {
    const { driven, messages } = await holding(['first', 'second'])
    const other = driven.world.newStick(
      { sim: { iccid: '8944100000000000099', imsi: '001010000000099', msisdn: '+447700900099' } },
      '356938035648104',
    )
    await driven.world.pass(10_000)
    for (const text of ['third', 'fourth']) driven.world.network.sendText('+447400123456', '+447700900099', text)
    await driven.world.pass(10_000)
    driven.world.whenRequested('delete-sms', () => {
      driven.world.stick = other
    })
    expect(await deleteAll(driven, messages)).toEqual(['failed', 'failed'])
    expect(used(driven)).toBe(2)
  })
})

describe('while it is in use', () => {
  test('detects that the stick does not answer, and that it answers again', async () => {
    const driven = await started({ 'web-lost': {} })
    await driven.world.pass(30_000)
    expect(driven.modem.state).toEqual({ name: 'degraded', reasons: ['not-answering'] })
    driven.world.stick.faults.clear()
    await driven.world.pass(10_000)
    expect(driven.modem.state).toEqual({ name: 'ready' })
    expect(await driven.send('Hello')).toMatchObject(accepted)
  })

  test('continues to work after the stick has restarted', async () => {
    const driven = await started()
    driven.world.stick.reboot()
    await driven.world.pass(60_000)
    expect(driven.modem.state).toEqual({ name: 'ready' })
    expect(await driven.send('Hello')).toMatchObject(accepted)
  })

  test('sets the stick up again when its SIM has changed', async () => {
    const driven = await started()
    driven.world.stick = driven.world.newStick({ sim: { iccid: '8944100000000000099', imsi: '001010000000099' } })
    await driven.world.pass(30_000)
    const sessions = driven.events.flatMap((event) => (event.kind === 'started' ? [event.session.sim.iccid] : []))
    expect(sessions).toEqual(['8944100000000000017', '8944100000000000099'])
  })

  test('reports no messages of another SIM before its setup', async () => {
    const driven = await started()
    const other = driven.world.newStick({
      sim: { iccid: '8944100000000000099', imsi: '001010000000099', msisdn: '+447700900099' },
    })
    await driven.world.pass(10_000)
    driven.world.network.sendText('+447400123456', '+447700900099', 'for the other SIM')
    await driven.world.pass(10_000)
    driven.world.stick = other
    await driven.world.pass(30_000)
    const kinds = driven.events.flatMap(({ kind }) => (kind === 'started' || kind === 'incoming' ? [kind] : []))
    expect(kinds).toEqual(['started', 'started', 'incoming'])
  })

  test('reports a lost network', async () => {
    const driven = await started(undefined, { registeredPollMs: 5_000 })
    driven.world.network.setCoverage(undefined, { stat: 2 })
    await driven.world.pass(10_000)
    expect(driven.modem.state).toEqual({ name: 'degraded', reasons: ['not-registered'] })
  })

  test('restarts the stick', async () => {
    const driven = await started()
    await driven.world.passing(driven.modem.reset())
    await driven.world.pass(1_000)
    expect(driven.world.stick.snapshot().port).toBe('lost')
  })

  test('writes nothing after it was stopped', async () => {
    const driven = await started()
    driven.modem.stop()
    driven.world.requests.length = 0
    await driven.world.pass(300_000)
    expect(driven.world.requests).toEqual([])
    expect(driven.modem.state).toEqual({ name: 'absent', why: 'stopped' })
  })
})
