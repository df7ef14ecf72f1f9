import { z } from 'zod'
import { present } from '../present.ts'
import { encodable, type Instruction, InstructionRefused, instruction } from './instruction.ts'

const from = z
  .string()
  .min(1)
  .max(20)
  .meta({ description: 'a number that begins with +, a short code, or a name of up to 11 letters' })
const to = z.string().min(1).meta({ description: 'phone number of a SIM, or name of its modem' })
const messageClass = z.literal([0, 1, 2, 3]).optional()
const hex = z
  .string()
  .regex(/^([0-9a-fA-F]{2})+$/, 'must be hexadecimal with two digits per octet')
  .transform((text) => Uint8Array.from(Buffer.from(text, 'hex')))
const port = z.int().min(0).max(0xffff)

export const messageInstructions = {
  'send-text': instruction(
    'Send a text from an outside phone to a SIM, in parts if it is long; class 0 is a flash message',
    z.strictObject({
      from,
      to,
      text: z.string().max(20_000),
      encoding: z.enum(['gsm7', 'ucs2']).optional(),
      class: messageClass,
      nationalShifts: z.array(z.int().min(1).max(13)).optional(),
      reference: z.int().min(0).max(0xffff).optional(),
      referenceWidth: z.literal([8, 16]).optional(),
      protocolIdentifier: z.int().min(0).max(0xff).optional(),
      sentAt: z.iso.datetime({ offset: true }).optional().meta({ description: 'time stamp of the service centre' }),
    }),
    (world, { from, to, text, class: messageClass, sentAt, ...options }) => {
      const number = world.number(to)
      const epoch = sentAt === undefined ? {} : { epochMs: Date.parse(sentAt) }
      const send = { ...present(options), ...present({ messageClass }), ...epoch }
      return parts(() => world.network.sendText(from, number, text, send))
    },
  ),
  'send-data': instruction(
    'Send binary data to a port of a SIM',
    z.strictObject({ from, to, data: hex, destinationPort: port, sourcePort: port.optional(), class: messageClass }),
    (world, { from, to, data, class: messageClass, destinationPort, sourcePort }) => {
      const number = world.number(to)
      const send = { destinationPort, ...present({ sourcePort, messageClass }) }
      return parts(() => world.network.sendData(from, number, data, send))
    },
  ),
  'send-mms': instruction(
    'Send an MMS notification, as a WAP push, to a SIM',
    z.strictObject({
      from: z.string().min(1).optional().meta({ description: 'sender of the multimedia message; default: withheld' }),
      to,
      pushedFrom: from.default('3636').meta({ description: 'phone number of the MMS centre' }),
      transactionId: z.string().min(1).max(40),
      subject: z.string().max(100).optional(),
      messageClass: z.enum(['personal', 'advertisement', 'informational', 'auto']).default('personal'),
      messageSizeOctets: z.int().min(0).default(30_000),
      expirySeconds: z.int().min(1).default(259_200),
      contentLocation: z.string().min(1).max(200),
      contentTypeForm: z.enum(['code', 'text', 'general']).optional(),
    }),
    (world, { from, to, pushedFrom, expirySeconds, contentTypeForm, ...body }) => {
      const number = world.number(to)
      const notification = {
        ...present(body),
        ...(from !== undefined && { from }),
        version: '1.2',
        fromWithheld: from === undefined,
        expiry: { kind: 'relative', seconds: expirySeconds } as const,
      }
      return parts(() =>
        world.network.sendMmsNotification(pushedFrom, number, notification, present({ contentTypeForm })),
      )
    },
  ),
  'send-raw': instruction(
    'Send the octets of a DELIVER or STATUS-REPORT unchanged; give them without the service centre address',
    z.strictObject({ to, tpdu: hex }),
    (world, { to, tpdu }) => {
      const number = world.number(to)
      return parts(() => {
        world.network.sendRaw(number, tpdu)
        return 1
      })
    },
  ),
  broadcast: instruction(
    'Send a cell broadcast to all modems subscribed to its identifier',
    z.strictObject({
      text: z.string().min(1).max(1000),
      messageIdentifier: z.int().min(0).max(0xffff).optional(),
      serialNumber: z.int().min(0).max(0xffff).optional(),
    }),
    (world, { text, ...options }) => {
      encodable(() => world.network.broadcast(text, present(options)))
      return {}
    },
  ),
  'send-ussd': instruction(
    'Start a USSD dialogue from the network',
    z.strictObject({ to, text: z.string().min(1).max(182), expectsAnswer: z.boolean().optional() }),
    (world, { to, text, ...options }) => {
      const number = world.number(to)
      if (encodable(() => world.network.sendUssd(number, text, present(options)))) return {}
      throw new InstructionRefused('not-possible', `no modem with ${number} is registered`)
    },
  ),
  call: instruction(
    'Start a voice call to a SIM',
    z.strictObject({ from, to, forMs: z.int().min(1000).max(600_000).optional() }),
    (world, { from, to, forMs }) => {
      const number = world.number(to)
      if (world.network.call(from, number, forMs)) return {}
      throw new InstructionRefused('not-possible', `no modem with ${number} is registered`)
    },
  ),
} satisfies Record<string, Instruction>

function parts(send: () => number): { readonly parts: number } {
  return { parts: encodable(send) }
}
