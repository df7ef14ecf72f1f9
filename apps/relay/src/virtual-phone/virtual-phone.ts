import type { VirtualPhoneAnswer, VirtualPhoneText } from '@smsgw/contract/virtual-phone'
import { ApiError } from '../http/api-error.ts'
import type { Database } from '../store/database.ts'

export type { VirtualPhoneMessage } from '@smsgw/contract/virtual-phone'

/** The phones at the other end of a virtual modem, of whoever runs one beside this relay. */
export interface VirtualPhone {
  look(): VirtualPhoneAnswer
  /** Throws when it cannot be written as SMS. */
  write(message: VirtualPhoneText): void
}

export interface VirtualPhoneNeeds {
  readonly database: Database
  /** Undefined: every modem is real. */
  readonly virtualPhone: VirtualPhone | undefined
}

/** The virtual modem is that of the built-in device: for any other account there is none. */
export async function virtualPhoneOf(
  { database, virtualPhone }: VirtualPhoneNeeds,
  accountId: string,
): Promise<VirtualPhone> {
  const where = { accountId, builtIn: true, deletedAt: null }
  if (virtualPhone && (await database.device.findFirst({ where, select: { id: true } })) !== null) return virtualPhone
  throw new ApiError(404, 'there is no virtual modem: the gateway has one when it is started with MODEMS=virtual')
}
