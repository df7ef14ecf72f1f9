import { expect, test } from 'vitest'
import { anotherDeliverPdu, DrivenModem, deliverPdu } from '../testing/driven-modem.ts'

const row = (index: number, pdu = deliverPdu) => `+CMGL: ${index},1,,31\n${pdu}`
const slot = (pdu = deliverPdu) => `+CMGR: 1,,31\n${pdu}`
const stored = { 'AT+CPMS="SM"': '+CPMS: 1,20,1,20,1,20', 'AT+CPMS="ME"': '+CPMS: 1,20,1,20,1,20' }

async function started(answers: Record<string, string>): Promise<DrivenModem> {
  const driven = new DrivenModem({ ...stored, 'AT+CMGD=3': 'OK', ...answers })
  await driven.session()
  await driven.pass(1000)
  return driven
}

const received = (driven: DrivenModem) =>
  driven.kinds('incoming').map(({ incoming: { source, pdu } }) => {
    if (source.kind !== 'stored') throw new Error('delivered directly')
    return { memory: source.memory, index: source.index, pdu }
  })

/** Deletes the message that was reported first. Returns its memory. */
async function deleteFirst(driven: DrivenModem, answersAfterwards: string): Promise<string> {
  const [first] = received(driven)
  if (first === undefined) throw new Error('nothing was received')
  const deletion = driven.modem.deleteMessage({ memory: first.memory, index: first.index }, first.pdu)
  driven.port.answer('AT+CMGR=3', [slot(), answersAfterwards])
  expect(await driven.passing(deletion)).toEqual({ kind: 'deleted' })
  await driven.pass(1000)
  return first.memory
}

test('a message that the modem shows in both memories is reported once', async () => {
  const driven = await started({ 'AT+CMGL=4': row(3) })
  expect(received(driven)).toHaveLength(1)
  await deleteFirst(driven, '+CMS ERROR: 321')
  expect(received(driven)).toHaveLength(1)
})

test('an equal message in the other memory is reported if it is still there after the deletion', async () => {
  const driven = await started({ 'AT+CMGL=4': row(3) })
  const memory = await deleteFirst(driven, slot())
  expect(received(driven)).toMatchObject([{ memory, pdu: deliverPdu }, { pdu: deliverPdu }])
  expect(received(driven)[1]?.memory).not.toBe(memory)
})

test('another message at the same index of the other memory is reported at once', async () => {
  const driven = new DrivenModem({ ...stored, 'AT+CMGL=4': [row(3), row(3, anotherDeliverPdu)] })
  await driven.session()
  await driven.pass(1000)
  expect(received(driven).map(({ pdu }) => pdu)).toEqual([deliverPdu, anotherDeliverPdu])
})

test('a message that the modem shows in both memories is reported again from the same memory', async () => {
  const driven = await started({ 'AT+CPMS=?': '+CPMS: ("ME","SM"),("ME","SM"),("ME","SM")' })
  driven.port.answer('AT+CMGR=3', slot())
  driven.port.answer('AT+CMGL=4', row(3))
  driven.port.tell('+CMTI: "SM",3')
  await driven.pass(1000)
  await driven.passing(driven.modem.sweep({ again: true }))
  expect(received(driven).map(({ memory }) => memory)).toEqual(['SM', 'SM'])
})
