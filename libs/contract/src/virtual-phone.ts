import { z } from 'zod'
import { requestBody } from './request-body.ts'
import { utcTime } from './times.ts'

const number = z.string().meta({ examples: ['+447400123456'] })

const virtualPhoneMessage = z
  .strictObject({
    id: z.string(),
    at: utcTime,
    from: number,
    to: number,
    text: z.string().meta({ description: 'What a phone shows; a data message is described' }),
    direction: z.enum(['to-phone', 'to-gateway']),
  })
  .meta({ id: 'VirtualPhoneMessage' })

export const virtualPhone = z
  .strictObject({
    gatewayNumber: number.meta({ description: 'Of the SIM in the virtual modem' }),
    phones: z.array(number).meta({ description: 'Numbers that were written to or from, the latest first' }),
    messages: z.array(virtualPhoneMessage).meta({ description: 'Newest first, at most 200; gone with the process' }),
  })
  .meta({ id: 'VirtualPhone' })

/** More than anybody types into a demonstration, and few enough parts for the memory of a SIM. */
const LONGEST_TEXT = 1_000

export const virtualPhoneText = requestBody({
  from: z
    .string()
    .regex(/^\+?\d{3,15}$/, 'must be a number such as +447400123456, digits alone behind the +')
    .meta({ description: 'The phone that writes', examples: ['+447400123456'] }),
  text: z.string().min(1).max(LONGEST_TEXT),
}).meta({ id: 'VirtualPhoneText', examples: [{ from: '+447400123456', text: 'Hello' }] })

export type VirtualPhoneAnswer = z.output<typeof virtualPhone>
export type VirtualPhoneMessage = z.output<typeof virtualPhoneMessage>
export type VirtualPhoneText = z.output<typeof virtualPhoneText>
