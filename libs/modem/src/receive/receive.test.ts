import { describe, expect, test, vi } from 'vitest'
import type { Answers } from '../testing/described-modem.ts'
import { anotherDeliverPdu, DrivenModem, deliverPdu, flashPdu, reportPdu } from '../testing/driven-modem.ts'
import { ManualClock, promisesSettled } from '../testing/manual-clock.ts'
import { readResponseLine } from '../wire/response-line.ts'
import type { Incoming } from './incoming-message.ts'
import type { MessageSlots } from './message-slots.ts'
import { MessageReceiver } from './receive.ts'

/** `later`: the answers of the modem after setup and the first sweep. */
async function started(answers: Answers = {}, later: Answers = {}): Promise<DrivenModem> {
  const driven = new DrivenModem(answers)
  await driven.session()
  for (const [command, answer] of Object.entries(later)) driven.port.answer(command, answer)
  driven.forget()
  return driven
}

const incoming = (driven: DrivenModem): Incoming[] => driven.kinds('incoming').map((event) => event.incoming)
const row = (index: number, pdu = deliverPdu) => `+CMGL: ${index},1,,31\n${pdu}`
const slot = (pdu = deliverPdu) => `+CMGR: 0,,31\n${pdu}`

describe('an indicated message', () => {
  test('an indicated message is read from its slot and reported with the slot', async () => {
    const driven = await started({ 'AT+CMGR=3': slot() })
    driven.port.tell('+CMTI: "ME",3')
    await driven.pass(10)
    // The memory ME was read last, so it is still selected.
    expect(driven.port.commands).toEqual(['AT+CMGR=3'])
    expect(incoming(driven)).toMatchObject([
      { kind: 'message', source: { kind: 'stored', memory: 'ME', index: 3 }, pdu: deliverPdu, flash: false },
    ])
  })

  test('an indicated message is read when the modem writes indexes with two digits', async () => {
    const driven = await started({ 'AT+CMGR=8': slot() })
    driven.port.tell('+CMTI: "ME",08')
    await driven.pass(10)
    expect(incoming(driven)).toMatchObject([{ source: { memory: 'ME', index: 8 }, pdu: deliverPdu }])
  })

  test('an indicated message is read from its own memory although another memory is selected', async () => {
    const driven = await started({ 'AT+CMGR=3': slot() })
    driven.port.tell('+CMTI: "SM",3')
    await driven.pass(10)
    expect(driven.port.commands).toEqual(['AT+CPMS="SM"', 'AT+CMGR=3'])
  })

  test('an indicated message is reported once, although it is indicated several times', async () => {
    const driven = await started({ 'AT+CMGR=3': slot() }, { 'AT+CMGL=4': row(3) })
    driven.port.tell('+CMTI: "SM",3\n+CMTI: "SM",3')
    await driven.pass(10)
    driven.port.tell('+CMTI: "SM",3')
    await driven.pass(10)
    expect(incoming(driven).filter((message) => message.source.kind === 'stored')).toHaveLength(1)
  })

  test('an indicated message stays in the modem until it is deleted explicitly', async () => {
    const driven = await started({ 'AT+CMGR=3': slot() })
    driven.port.tell('+CMTI: "SM",3')
    await driven.pass(200_000)
    expect(driven.port.commands.filter((command) => command.startsWith('AT+CMGD'))).toEqual([])
  })

  test('an indicated message that is missing is searched for in all memories', async () => {
    const driven = await started(
      { 'AT+CMGR=0': '+CMS ERROR: 321' },
      { 'AT+CPMS="ME"': '+CPMS: 1,23,0,30,0,30', 'AT+CMGL=4': row(0, reportPdu) },
    )
    driven.port.tell('+CDSI: "SM",0')
    await driven.pass(10)
    expect(incoming(driven)).toMatchObject([{ kind: 'status-report', source: { memory: 'ME', index: 0 } }])
  })

  test('an indicated message in a burst is read with a listing of all messages, not alone', async () => {
    const rows = Array.from({ length: 20 }, (_, at) => row(at)).join('\n')
    const driven = await started({}, { 'AT+CPMS="SM"': '+CPMS: 20,30,0,30,0,30', 'AT+CMGL=4': [rows, 'OK'] })
    driven.port.tell(Array.from({ length: 20 }, (_, at) => `+CMTI: "SM",${at}`).join('\n'))
    await driven.pass(10)
    expect(incoming(driven).length).toBeGreaterThanOrEqual(20)
    expect(driven.port.commands.filter((command) => command.startsWith('AT+CMGR')).length).toBeLessThan(10)
  })

  test.each(['+CMTI: "SM"', '+CMTI:', '+CMTI: "SM",abc', '+CMTI: ,,,'])(
    '%j causes a search in all memories',
    async (line) => {
      const driven = await started({}, { 'AT+CPMS="SM"': '+CPMS: 1,30,0,30,0,30', 'AT+CMGL=4': [row(1), 'OK'] })
      driven.port.tell(line)
      await driven.pass(10)
      expect(incoming(driven)).toHaveLength(1)
    },
  )
})

describe('a modem that indicates missing messages', () => {
  // Indications that arrive before each answer. Each of them could cause the next command.
  const tips = ['+CMTI: "SM",3', '+CMTI: "ME",4', '+CMTI: ,,', '^SMMEMFULL: "SM"', '+CMT: ,24']

  test.each(tips)('%j with every answer does not keep the driver busy forever', async (tip) => {
    const answered = (answer: string) => `${tip}\n${answer}`
    const later = {
      'AT+CMGR=*': answered('+CMS ERROR: 321'),
      'AT+CPMS=*': answered('+CPMS: 0,30,0,30,0,30'),
      'AT+CMGL=4': answered('OK'),
    }
    const driven = await started({}, later)
    driven.port.tell(tip)
    await driven.pass(60_000)
    expect(driven.port.commands.length).toBeLessThan(500)
  })

  test('a modem that indicates missing messages is trusted again after a while, so that the next message is read at once', async () => {
    const driven = await started({ 'AT+CMGR=*': '+CMS ERROR: 321' })
    for (let times = 0; times < 20; times += 1) {
      driven.port.tell(`+CMTI: "SM",${times}`)
      await driven.pass(10)
    }
    await driven.pass(60_000)
    driven.forget()
    driven.port.answer('AT+CMGR=*', slot())
    driven.port.tell('+CMTI: "SM",3')
    await driven.pass(10)
    expect(incoming(driven)).toMatchObject([{ source: { memory: 'SM', index: 3 } }])
  })

  test('a modem that indicates missing messages delays a real message by at most five seconds while it is not trusted', async () => {
    const driven = await started({ 'AT+CMGR=*': '+CMS ERROR: 321' })
    for (let times = 0; times < 20; times += 1) {
      driven.port.tell(`+CMTI: "SM",${times}`)
      await driven.pass(10)
    }
    driven.port.answer('AT+CMGL=4', row(7))
    driven.port.answer('AT+CPMS="ME"', '+CPMS: 1,23,0,30,0,30')
    driven.port.tell('+CMTI: "ME",7')
    await driven.pass(5_000)
    expect(incoming(driven)).toMatchObject([{ source: { kind: 'stored', index: 7 } }])
  })
})

describe('a directly delivered message', () => {
  test.each([
    ['with a name', '+CMT: "Bob",31'],
    ['without', '+CMT: ,31'],
    ['with the length alone (Cinterion)', '+CMT: 31'],
  ])('%s', async (_shape, line) => {
    const driven = await started()
    driven.port.tell(`${line}\n${deliverPdu}`)
    expect(incoming(driven)).toMatchObject([{ kind: 'message', source: { kind: 'direct', acknowledge: false } }])
    await driven.pass(10)
    expect(driven.port.commands).toEqual([])
  })

  test('a directly delivered message is acknowledged after it is stored, if the modem expects an acknowledgement', async () => {
    const driven = await started({ 'AT+CSMS=*': 'ERROR', 'AT+CSMS?': '+CSMS: 1,1,1,1', 'AT+CNMA': 'OK' })
    driven.port.tell(`+CMT: ,31\n${deliverPdu}`)
    await driven.pass(10)
    expect(incoming(driven)).toMatchObject([{ source: { kind: 'direct', acknowledge: true } }])
    expect(driven.port.commands).toEqual([])
    expect(await driven.modem.acknowledge()).toBe(true)
  })

  test('a directly delivered message without its second line causes a sweep', async () => {
    const driven = await started()
    driven.port.tell('+CMT: ,31\n+CSQ: 1,1\n+CSQ: 1,1\n+CSQ: 1,1\n+CSQ: 1,1\n+CSQ: 1,1')
    await driven.pass(10)
    expect(driven.port.commands).toContain('AT+CMGL=4')
  })

  test('a directly delivered message of class 0 is flagged', async () => {
    const driven = await started()
    driven.port.tell(`+CMT: ,30\n${flashPdu}`)
    expect(incoming(driven)).toMatchObject([{ kind: 'message', flash: true }])
  })
})

describe('a report', () => {
  test.each(['+CDS: 25', '+CDS: ,25'])('%s', async (line) => {
    const driven = await started()
    driven.port.tell(`${line}\n${reportPdu}`)
    expect(incoming(driven)).toMatchObject([{ kind: 'status-report', report: { messageReference: 17, status: 0 } }])
  })
  test('a report in the middle of an answer is not part of it', async () => {
    const driven = await started({ 'AT+CSQ': `+CDS: 25\n${reportPdu}\n+CSQ: 20,99` })
    expect(await driven.modem.signal()).toMatchObject({ dBm: -73 })
    expect(incoming(driven)).toMatchObject([{ kind: 'status-report' }])
  })
})

describe('a message in a memory', () => {
  test('a message in a memory is found after setup, in every memory', async () => {
    const driven = new DrivenModem({
      'AT+CPMS=?': '+CPMS: ("SM","ME","SR","BM"),("SM"),("SM")',
      'AT+CMGL=4': [row(1), row(1, anotherDeliverPdu), row(1, reportPdu)],
    })
    await driven.session()
    expect(incoming(driven).map((one) => `${one.kind} ${one.source.kind === 'stored' && one.source.memory}`)).toEqual([
      'message SM',
      'message ME',
      'status-report SR',
    ])
  })

  test('a message in a memory is found periodically without an indication', async () => {
    const driven = await started()
    driven.port.answer('AT+CPMS="SM"', '+CPMS: 1,30,0,30,0,30')
    driven.port.answer('AT+CMGL=4', [row(7), 'OK'])
    await driven.pass(31_000)
    expect(incoming(driven)).toMatchObject([{ source: { memory: 'SM', index: 7 } }])
  })

  test('a message in a memory is listed after setup although the modem reports an empty memory', async () => {
    const driven = new DrivenModem({ 'AT+CMGL=4': [row(1), 'OK'] })
    await driven.session()
    expect(incoming(driven)).toHaveLength(1)
  })

  test('a message in a memory is not reported again by the next sweep, unless requested', async () => {
    const driven = await started({
      'AT+CPMS="SM"': '+CPMS: 1,30,0,30,0,30',
      'AT+CPMS=?': '+CPMS: ("SM"),("SM"),("SM")',
      'AT+CMGL=4': row(1),
    })
    await driven.modem.sweep()
    expect(incoming(driven)).toEqual([])
    await driven.modem.sweep({ again: true })
    expect(incoming(driven)).toHaveLength(1)
  })

  test('a message in a memory is reported if it has replaced another message in its slot', async () => {
    const driven = await started({
      'AT+CPMS=?': '+CPMS: ("SM"),("SM"),("SM")',
      'AT+CMGL=4': [row(1), row(1, anotherDeliverPdu)],
    })
    await driven.modem.sweep()
    expect(incoming(driven)).toMatchObject([{ pdu: anotherDeliverPdu }])
  })

  test('a message in a memory is ignored if it is an outgoing message', async () => {
    const driven = await started({ 'AT+CMGL=4': `+CMGL: 1,2,,20\n0011000B916407281553F80000AA05E8329BFD06` })
    await driven.modem.sweep()
    expect(incoming(driven)).toEqual([])
  })

  test('a message in a memory is reported as received if it is unreadable, so that it can be stored', async () => {
    const driven = await started({}, { 'AT+CMGL=4': [row(1, '07911326040000F0040B91'), 'OK'] })
    await driven.modem.sweep()
    expect(incoming(driven)).toMatchObject([{ kind: 'unreadable', pdu: '07911326040000F0040B91' }])
  })

  test('a message in a memory is reported even if the modem stops answering during the listing', async () => {
    const driven = await started({}, { 'AT+CMGL=4': `raw:\r\n+CMGL: 1,1,,31\r\n${deliverPdu}\r\n` })
    const sweep = await driven.passing(driven.modem.sweep())
    expect(sweep.complete).toBe(false)
    expect(incoming(driven).length).toBeGreaterThanOrEqual(1)
    expect(driven.kinds('not-read')[0]).toMatchObject({ why: 'unanswered' })
  })

  test('a message in a memory that fills the memory changes the reported usage and the state', async () => {
    const driven = await started()
    driven.port.answer('AT+CPMS="SM"', '+CPMS: 30,30,0,30,0,30')
    await driven.modem.sweep()
    expect(driven.kinds('storage').at(0)?.gauge).toEqual({ memory: 'SM', used: 30, total: 30, full: true })
    expect(driven.modem.state).toEqual({ name: 'degraded', reasons: ['storage-full'] })
  })
})

describe('deleting', () => {
  test('reads the slot again and deletes the requested message', async () => {
    const driven = await started({ 'AT+CMGR=3': slot(), 'AT+CMGD=3': 'OK' })
    expect(await driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)).toEqual({ kind: 'deleted' })
    expect(driven.port.commands).toEqual(['AT+CPMS="SM"', 'AT+CMGR=3', 'AT+CMGD=3'])
  })

  test('does not clear a slot that contains another message, and reports this message', async () => {
    const driven = await started({ 'AT+CMGR=3': slot(anotherDeliverPdu), 'AT+CMGD=3': 'OK' })
    const deletion = await driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)
    expect(deletion).toMatchObject({ kind: 'another-message' })
    expect(driven.port.commands).not.toContain('AT+CMGD=3')
    expect(incoming(driven)).toMatchObject([{ pdu: anotherDeliverPdu }])
  })

  test.each(['+CMS ERROR: 321', 'OK', '+CMGR: 0,,0'])('reports an empty slot (%s) as deleted', async (answer) => {
    const driven = await started({ 'AT+CMGR=3': answer })
    expect(await driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)).toEqual({ kind: 'already-gone' })
  })

  test('a message that the modem refuses to delete is reported as not deleted, and is not received again', async () => {
    const driven = await started({ 'AT+CMGR=3': slot(), 'AT+CMGD=3': '+CMS ERROR: 320' })
    const deletion = await driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)
    expect(deletion).toMatchObject({ kind: 'failed', failure: 'refused', error: { code: 320 } })
  })

  test('deleting a message does not interrupt the reading of another memory', async () => {
    const driven = await started({ 'AT+CMGR=3': slot(), 'AT+CMGD=3': 'OK', 'AT+CMGR=5': slot(anotherDeliverPdu) })
    driven.port.tell('+CMTI: "ME",5')
    const deletion = driven.modem.deleteMessage({ memory: 'SM', index: 3 }, deliverPdu)
    driven.port.tell('+CMTI: "ME",5')
    await deletion
    await driven.pass(10)
    const at = driven.port.commands.indexOf('AT+CMGD=3')
    expect(driven.port.commands.slice(at - 2, at + 1)).toEqual(['AT+CPMS="SM"', 'AT+CMGR=3', 'AT+CMGD=3'])
  })
})

describe('a modem that has left PDU mode unnoticed', () => {
  test('a modem that has left PDU mode unnoticed is detected by a delivered message, which is kept as received', async () => {
    const driven = await started({}, { 'AT+CMGF?': '+CMGF: 1' })
    driven.port.tell('+CMT: "+46708251358",,"26/03/01,12:00:00+04"\nhello')
    // The end of a text-mode message cannot be recognised, so the next command waits until the text has certainly
    // ended.
    await driven.pass(4000)
    expect(incoming(driven)).toMatchObject([{ kind: 'unreadable' }])
    expect(incoming(driven)[0]?.pdu).toContain('hello')
    expect(driven.kinds('restarted')).toHaveLength(1)
    expect(driven.port.commands).toContain('AT+CMGF=0')
  })

  test('a modem that has left PDU mode unnoticed is detected by a message whose text contains lines of another message, and delivers one message', async () => {
    const driven = await started()
    driven.port.tell(`+CMT: "+447700900123",,"24/01/01,10:00:00+00"\nhi\n+CMT: ,31\n${deliverPdu}`)
    await driven.pass(10)
    expect(driven.kinds('incoming').map(({ incoming }) => incoming.kind)).toEqual(['unreadable'])
  })

  test('a modem that has left PDU mode unnoticed is detected by a report in one line', async () => {
    const driven = await started({}, { 'AT+CMGF?': '+CMGF: 1' })
    driven.port.tell('+CDS: 6,17,"+46708251358",145,"26/03/01,12:00:00+04","26/03/01,12:00:05+04",0')
    await driven.pass(1000)
    expect(incoming(driven)).toMatchObject([{ kind: 'unreadable' }])
    expect(driven.kinds('restarted')).toHaveLength(1)
  })

  test('a modem that has left PDU mode unnoticed is detected by its listing, which does not count as an empty memory', async () => {
    const driven = await started({}, { 'AT+CMGF?': '+CMGF: 1' })
    driven.port.answer('AT+CMGL=4', [
      '+CMGL: 1,"REC UNREAD","+46708251358"\nhello',
      `+CMGL: 1,0,,31\n${deliverPdu}`,
      'OK',
    ])
    const swept = driven.modem.sweep()
    await driven.pass(4000)
    await swept
    await driven.pass(1000)
    expect(driven.kinds('restarted')).toHaveLength(1)
    expect(incoming(driven)).toMatchObject([{ kind: 'message', pdu: deliverPdu }])
  })
})

test('counts and ignores cell broadcasts', async () => {
  const driven = await started()
  driven.port.tell(`+CBM: 88\n${'00'.repeat(88)}\n+CBMI: "BM",1`)
  await driven.pass(10)
  expect(driven.modem.telemetry.broadcastsIgnored).toBe(2)
  expect(driven.events).toEqual([])
  expect(driven.port.commands).toEqual([])
})

describe('the memory of the receiver is limited for', () => {
  /** A receiver without a driver, and the size of its largest map. `list` returns the contents of the memories. */
  function receiving(list: MessageSlots['list']) {
    const seen: Incoming[] = []
    const onIncoming = (message: Incoming) => seen.push(message)
    const receiver = new MessageReceiver({ clock: new ManualClock(), onIncoming, onNews: () => undefined })
    const slots = { list, read: async () => 'empty' } as unknown as MessageSlots
    const traits = { acknowledges: false, listingHangs: false, deletingDeletesSiblings: false }
    receiver.attach({ slots, memories: ['SM'], onlyMemory: undefined, ...traits })
    let largest = 0
    const { set } = Map.prototype
    vi.spyOn(Map.prototype, 'set').mockImplementation(function (this: Map<unknown, unknown>, key, value) {
      const map = set.call(this, key, value)
      largest = Math.max(largest, this.size)
      return map
    })
    return { receiver, largest: () => largest, seen }
  }

  test('the memory of the receiver is limited for slots indicated while a listing hangs', async () => {
    const { receiver, largest } = receiving(() => new Promise(() => undefined))
    receiver.sweepSoon('thorough')
    for (let index = 0; index < 20_000; index += 1) receiver.handle(readResponseLine(`+CMTI: "SM",${index}`))
    vi.restoreAllMocks()
    expect(largest()).toBeLessThanOrEqual(8)
  })

  test('the memory of the receiver is limited for messages of incomplete listings, with new indexes each time', async () => {
    let at = 0
    const { receiver, largest, seen } = receiving(async () => {
      const messages = Array.from({ length: 1000 }, () => ({ index: at++, stat: 1, pdu: deliverPdu }))
      return { usage: 'unknown', messages, complete: false }
    })
    for (let times = 0; times < 20; times += 1) await receiver.sweep()
    vi.restoreAllMocks()
    await promisesSettled()
    expect(seen).toHaveLength(20_000)
    expect(largest()).toBeLessThanOrEqual(4097)
  })
})
