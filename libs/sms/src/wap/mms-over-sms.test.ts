import { expect, it } from 'vitest'
import { concatenationOf, portsOf } from '../fields/user-data-header.ts'
import { emptyReassembly, nextReassembly, type ReassemblyEffect } from '../reassembly/reassemble.ts'
import { segmentData } from '../segmentation/segment.ts'
import { decodeMmsNotification, type MmsNotification } from './mms-notification.ts'
import { encodeMmsNotification } from './mms-notification-encode.ts'
import { decodeWspPush, encodeWspPush, mmsMediaType, wapPushPort, wapPushSourcePort } from './wsp-push.ts'

it('decodes an MMS notification in two parts that arrive in reverse order', () => {
  const notification: MmsNotification = {
    transactionId: 'T17c3a5b9e2',
    from: '+447700900123',
    fromWithheld: false,
    messageClass: 'personal',
    messageSizeOctets: 30_017,
    contentLocation: `http://mms.example/${'x'.repeat(120)}`,
  }
  const body = encodeMmsNotification(notification)
  const push = encodeWspPush({ transactionId: 9, contentType: mmsMediaType, contentTypeForm: 'text', body })
  const ports = { width: 16, destination: wapPushPort, source: wapPushSourcePort } as const
  const { parts } = segmentData(push, { ports, reference: 0x5a })
  expect(parts).toHaveLength(2)

  const effects: ReassemblyEffect[] = []
  let state = emptyReassembly
  for (const userData of parts.toReversed()) {
    const concatenation = concatenationOf(userData.header)
    if (!concatenation) throw new Error('a part without a number')
    expect(portsOf(userData.header)).toEqual(ports)
    const step = nextReassembly(state, {
      kind: 'part-arrived',
      partId: `${concatenation.sequence}`,
      sim: '234150000000001',
      sender: { typeOfNumber: 'unknown', numberingPlan: 1, value: '2940' },
      concatenation,
      userData,
      dataCodingScheme: 0x04,
      protocolIdentifier: 0,
      serviceCentreTimeStamp: { year: 2026, month: 3, day: 1, hour: 8, minute: 0, second: 0, zoneQuarters: 4 },
      atMs: 0,
    })
    state = step.state
    effects.push(...step.effects)
  }
  const [completed] = effects
  if (completed?.kind !== 'message-completed') throw new Error('the message was not completed')
  const [userData] = completed.message.userData
  if (!userData) throw new Error('the message has no user data')
  const received = decodeWspPush(userData.units)
  expect(received.contentType).toBe(mmsMediaType)
  expect(decodeMmsNotification(received.body)).toEqual(notification)
})
