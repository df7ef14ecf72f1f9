import { virtualPhone } from '@smsgw/contract/virtual-phone'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { type VirtualPhoneNeeds, virtualPhoneOf } from './virtual-phone.ts'

/** What the phones around a virtual modem have received and written. */
export function lookAtVirtualPhone(needs: VirtualPhoneNeeds): Endpoint {
  return endpoint({
    answers: { 200: virtualPhone },
    errors: [404],
    async handle({ principal: { accountId } }) {
      return { status: 200, body: (await virtualPhoneOf(needs, accountId)).look() }
    },
  })
}
