import {
  type VirtualPhoneAnswer,
  type VirtualPhoneText,
  virtualPhone as virtualPhoneAnswer,
  virtualPhoneText,
} from '@smsgw/contract/devices/virtual-phone'
import { z } from 'zod'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { mayDo } from '../http/may-do.ts'
import type { Database } from '../store/database.ts'

export type { VirtualPhoneMessage } from '@smsgw/contract/devices/virtual-phone'

/** The simulated phones of a virtual modem in the same process. */
export interface VirtualPhone {
  look(): VirtualPhoneAnswer
  /** Sends a message. Throws if it cannot be sent as SMS. */
  write(message: VirtualPhoneText): void
}

interface VirtualPhoneDeps {
  readonly database: Database
  /** The virtual phones; undefined without a virtual modem. */
  readonly virtualPhone: VirtualPhone | undefined
}

/** Returns the messages that the simulated phones received and, with access to the inbox, those that they sent. */
export function showVirtualPhone(deps: VirtualPhoneDeps): Endpoint {
  return endpoint({
    answers: { 200: virtualPhoneAnswer },
    errors: [404],
    async handle({ principal }) {
      const phone = (await virtualPhoneOf(deps, principal.accountId)).look()
      const mayRead = mayDo(principal, 'inbox:list')
      const messages = phone.messages.filter(({ direction }) => direction === 'to-phone' || mayRead)
      return { status: 200, body: { ...phone, messages } }
    },
  })
}

/** Sends a message from a simulated phone to the SIM of the virtual modem, which receives it like any other message. */
export function sendFromVirtualPhone(deps: VirtualPhoneDeps): Endpoint {
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

/** Returns the virtual phone of the built-in device. Throws 404 for accounts without one. */
async function virtualPhoneOf({ database, virtualPhone }: VirtualPhoneDeps, accountId: string): Promise<VirtualPhone> {
  const where = { accountId, builtIn: true, deletedAt: null }
  if (virtualPhone && (await database.device.findFirst({ where, select: { id: true } })) !== null) return virtualPhone
  throw new ApiError(404, 'This account has no virtual modem: start the gateway with MODEMS=virtual')
}
