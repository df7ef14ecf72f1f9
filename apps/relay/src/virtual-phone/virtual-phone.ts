import type { VirtualPhoneAnswer, VirtualPhoneText } from '@smsgw/contract/virtual-phone'
import { ApiError } from '../http/api-error.ts'
import type { Database } from '../store/database.ts'

export type { VirtualPhoneMessage } from '@smsgw/contract/virtual-phone'

/** The simulated phones of a virtual modem in the same process. */
export interface VirtualPhone {
  look(): VirtualPhoneAnswer
  /** Throws when the message cannot be sent as SMS. */
  write(message: VirtualPhoneText): void
}

export interface VirtualPhoneDeps {
  readonly database: Database
  /** Undefined without a virtual modem. */
  readonly virtualPhone: VirtualPhone | undefined
}

/** Returns the virtual phone of the built-in device. Other accounts get 404. */
export async function virtualPhoneOf(
  { database, virtualPhone }: VirtualPhoneDeps,
  accountId: string,
): Promise<VirtualPhone> {
  const where = { accountId, builtIn: true, deletedAt: null }
  if (virtualPhone && (await database.device.findFirst({ where, select: { id: true } })) !== null) return virtualPhone
  throw new ApiError(404, 'this account has no virtual modem: start the gateway with MODEMS=virtual')
}
