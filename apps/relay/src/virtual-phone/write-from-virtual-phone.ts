import { virtualPhoneText } from '@smsgw/contract/virtual-phone'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { type VirtualPhoneDeps, virtualPhoneOf } from './virtual-phone.ts'

/** Sends a message from a simulated phone to the SIM of the virtual modem. It arrives like any received message. */
export function writeFromVirtualPhone(deps: VirtualPhoneDeps): Endpoint {
  return endpoint({
    body: virtualPhoneText,
    answers: { 202: z.strictObject({}) },
    errors: [404],
    async handle({ principal: { accountId }, body }) {
      const phone = await virtualPhoneOf(deps, accountId)
      phone.write(body)
      return { status: 202, body: {} }
    },
  })
}
