import { z } from 'zod'
import { requestBody } from '../fields/request-body.ts'
import { utcTime } from '../fields/times.ts'

const number = z.string().meta({ examples: ['+447400123456'] })

const virtualPhoneMessage = z
  .strictObject({
    id: z.string(),
    at: utcTime,
    from: number,
    to: number,
    text: z.string().meta({ description: 'The text as a phone displays it, or a description of a data message' }),
    direction: z.enum(['to-phone', 'to-gateway']),
  })
  .meta({ id: 'VirtualPhoneMessage' })

export const virtualPhone = z
  .strictObject({
    gatewayNumber: number.meta({ description: 'Phone number of the SIM in the virtual modem' }),
    phones: z.array(number).meta({ description: 'Numbers with messages, the most recent first' }),
    messages: z
      .array(virtualPhoneMessage)
      .meta({ description: 'Messages, newest first, at most 200; they are lost when the process ends' }),
    testNumbers: z
      .array(
        z.strictObject({
          number,
          effect: z.string().meta({ description: 'Effect on a message to this number' }),
        }),
      )
      .meta({
        description: 'Phone numbers for tests: the virtual modem refuses, delays or answers a message to such a number',
      }),
  })
  .meta({ id: 'VirtualPhone' })

/** The largest text. This length is sufficient for a demonstration, and the parts fit into the memory of a SIM. */
const MAX_TEXT_LENGTH = 1_000

export const virtualPhoneText = requestBody({
  from: z
    .string()
    .regex(/^\+?\d{3,15}$/, 'must be a number such as +447400123456, with only digits after the +')
    .meta({ description: 'Phone number of the sender', examples: ['+447400123456'] }),
  text: z.string().min(1).max(MAX_TEXT_LENGTH),
}).meta({ id: 'VirtualPhoneText', examples: [{ from: '+447400123456', text: 'Hello' }] })

export type VirtualPhoneAnswer = z.output<typeof virtualPhone>
export type VirtualPhoneMessage = z.output<typeof virtualPhoneMessage>
export type VirtualPhoneText = z.output<typeof virtualPhoneText>
