import { virtualPhoneText } from '@smsgw/contract/virtual-phone'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { type VirtualPhoneNeeds, virtualPhoneOf } from './virtual-phone.ts'

/** A phone that is not there writes to the SIM of the virtual modem: it arrives as everything that is received. */
export function writeFromVirtualPhone(needs: VirtualPhoneNeeds): Endpoint {
  return endpoint({
    body: virtualPhoneText,
    answers: { 202: z.strictObject({}) },
    errors: [404],
    async handle({ principal: { accountId }, body }) {
      const phone = await virtualPhoneOf(needs, accountId)
      phone.write(body)
      return { status: 202, body: {} }
    },
  })
}
