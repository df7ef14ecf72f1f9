import { agentEvent } from '@smsgw/contract/link/event'
import { textOfUserData, type UserData } from '@smsgw/sms/fields/user-data'
import { type Segmentation, segment, segmentData } from '@smsgw/sms/segmentation/segment'
import type { MmsNotification } from '@smsgw/sms/wap/mms-notification'
import { encodeMmsNotification } from '@smsgw/sms/wap/mms-notification-encode'
import { encodeWspPush, mmsMediaType } from '@smsgw/sms/wap/wsp-push'
import { type SeededRandom, seededRandom } from '@smsgw/virtual-modem/random'
import { expect, test } from 'vitest'
import { contentEvent, type EventEnvelope } from './content-event.ts'

const envelope: EventEnvelope = {
  id: 'id',
  sender: '+447700900123',
  recipient: undefined,
  simNumber: 1,
  iccid: 'iccid-1',
  receivedAt: '2026-03-01T12:00:00.000+00:00',
  receivedMs: Date.UTC(2026, 2, 1, 12),
  local: (ms) => new Date(ms).toISOString().replace('Z', '+00:00'),
}

test('shortens the longest data to the limit of an event, and marks it as partial', () => {
  const ports = { width: 16 as const, destination: 5000, source: 5000 }
  const { parts, dataCodingScheme } = segment('€'.repeat(17_000), { reference: 1, ports })
  const event = contentEvent(envelope, content(parts, dataCodingScheme))
  expect(agentEvent.safeParse(event).success).toBe(true)
  expect(event).toMatchObject({ type: 'DATA_SMS', port: 5000, isPartial: true })
  expect(Buffer.from(event.type === 'DATA_SMS' ? event.data : '', 'base64').length).toBeGreaterThan(49_000)
})

test('makes a valid event of any MMS notification', () => {
  let read = 0
  for (let seed = 0; seed < 300; seed += 1) {
    const random = seededRandom(seed)
    const pushed = pushedOr(() => encodeMmsNotification(anyNotification(random)))
    if (pushed === undefined) continue
    const event = contentEvent(envelope, content(pushed.parts, pushed.dataCodingScheme))
    expect(agentEvent.safeParse(event).error, `seed ${seed}`).toBeUndefined()
    if (event.type === 'MMS') read += 1
  }
  expect(read).toBeGreaterThan(100)
})

test('does not split a surrogate pair when it shortens a text', () => {
  const event = contentEvent(
    { ...envelope, sender: `${'x'.repeat(127)}\u{1f600}`, recipient: `${'x'.repeat(127)}\u{1f600}` },
    content(segment('hello', { reference: 1 }).parts, 0),
  )
  expect(event.sender.isWellFormed()).toBe(true)
  expect(event.recipient?.isWellFormed()).toBe(true)
  expect(agentEvent.safeParse(event).success).toBe(true)
})

function content(userData: readonly UserData[], dataCodingScheme: number) {
  const text = userData.map((each) => textOfUserData(each) ?? '').join('')
  return { userData, text, dataCodingScheme, parts: userData.length, isPartial: false }
}

function pushedOr(encode: () => Uint8Array): Segmentation | undefined {
  try {
    const octets = encodeWspPush({ transactionId: 1, contentType: mmsMediaType, body: encode() })
    return segmentData(octets, { reference: 9, ports: { width: 16, destination: 2948, source: 9200 } })
  } catch {
    // Skips notifications that cannot be encoded, because such notifications cannot arrive either.
    return undefined
  }
}

function anyNotification(random: SeededRandom): MmsNotification {
  const characters = ['a', '\u{1f600}', 'é', '\ud83d', '\u202e', '漢', ' ']
  const text = () => (characters[random.integer(characters.length)] as string).repeat(1 + random.integer(3000))
  const far = 2 ** random.integer(50)
  return {
    transactionId: text(),
    fromWithheld: false,
    from: text(),
    subject: text(),
    contentLocation: text(),
    messageSizeOctets: far,
    expiry: random.next() < 0.5 ? { kind: 'absolute', epochSeconds: far } : { kind: 'relative', seconds: far },
  }
}
