import { virtualPhone } from '@smsgw/contract/virtual-phone'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { mayDo } from '../http/may-do.ts'
import { type VirtualPhoneDeps, virtualPhoneOf } from './virtual-phone.ts'

/** Returns the messages that the simulated phones received and, with access to the inbox, those that they sent. */
export function lookAtVirtualPhone(deps: VirtualPhoneDeps): Endpoint {
  return endpoint({
    answers: { 200: virtualPhone },
    errors: [404],
    async handle({ principal }) {
      const phone = (await virtualPhoneOf(deps, principal.accountId)).look()
      const mayRead = mayDo(principal, 'inbox:list')
      const messages = phone.messages.filter(({ direction }) => direction === 'to-phone' || mayRead)
      return { status: 200, body: { ...phone, messages } }
    },
  })
}
