import { createHash } from 'node:crypto'
import type { NewText } from '@smsgw/client/messages'
import type { FlowMessage } from './node-red.ts'

/** The fields of a send node, as the editor stores them. An empty text means that the field is not set. */
export interface MessageFields {
  readonly to: string
  readonly text: string
  readonly deviceId: string
  readonly simNumber: string
  readonly priority: string
  readonly ttl: string
}

/** Members of `msg.sms` that replace the fields of the node. */
const MEMBERS = [
  'deviceId',
  'simNumber',
  'priority',
  'ttl',
  'validUntil',
  'scheduleAt',
  'withDeliveryReport',
  'onUncertain',
  'id',
] as const

/** Returns the SMS for a message of the flow. A field in `msg.sms` takes precedence over the same field of the node. */
export function newText(message: FlowMessage, fields: MessageFields): NewText {
  const given = message['sms']
  const own = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const chosen = MEMBERS.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]))
  return {
    ...(fields.deviceId !== '' && { deviceId: fields.deviceId }),
    ...(fields.simNumber !== '' && { simNumber: wholeNumberIn('SIM', fields.simNumber) }),
    ...(fields.priority !== '' && { priority: wholeNumberIn('Priority', fields.priority) }),
    ...(fields.ttl !== '' && { ttl: wholeNumberIn('Valid for', fields.ttl) }),
    // Other values are sent as well, because the gateway refuses them and names the wrong member.
    ...(Object.fromEntries(chosen) as Partial<NewText>),
    to: recipientsOf(message, fields),
    text: textOf(message, fields),
  }
}

/**
 * Returns the idempotency key of a message. When a flow passes the same message to the node again, for example after a
 * caught error, `_msgid` is the same, and the text must be sent only once. But a function node may create several texts
 * from one message, and these also have the same `_msgid`. Therefore the key also depends on the content.
 */
export function idempotencyKey(nodeId: string, message: FlowMessage, content: NewText): string | undefined {
  const { idempotencyKey: given, _msgid: id } = message
  if (typeof given === 'string' && given !== '') return given
  if (id === undefined) return undefined
  const facts = JSON.stringify([nodeId, id, content])
  return `node-red:${createHash('sha256').update(facts).digest('hex')}`
}

export function wholeNumberIn(field: string, value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isInteger(number)) throw new Error(`${field}: "${value}" is not a whole number`)
  return number
}

function recipientsOf({ to: given }: FlowMessage, fields: MessageFields): string[] {
  const to = given ?? fields.to
  const listed = Array.isArray(to) ? to.map(String) : String(to).split(/[,;\n]/)
  const numbers = listed.map((number) => number.trim()).filter((number) => number !== '')
  if (numbers.length === 0) throw new Error('The field "To" has no phone number: enter one in the node, or set msg.to')
  return numbers
}

function textOf({ payload }: FlowMessage, { text }: MessageFields): string {
  if (text !== '') return text
  if (typeof payload === 'string' && payload !== '') return payload
  if (typeof payload === 'number' || typeof payload === 'boolean') return String(payload)
  throw new Error('Text: no text; enter one in the node, or set msg.payload to a text')
}
