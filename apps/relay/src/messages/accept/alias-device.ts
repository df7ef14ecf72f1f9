import type { ApiError } from '../../http/api-error.ts'
import { refusal } from '../../http/validation-error.ts'
import type { Statements } from '../../store/database.ts'

type AliasDevice =
  | { readonly ok: true; readonly deviceId: string | undefined }
  | { readonly ok: false; readonly refusal: ApiError }

/**
 * Returns the device for a message to aliases of phone numbers: the device in the request, otherwise the device that
 * reported the aliases, because only that device can decrypt them. Undefined if the message has no aliases and names no
 * device.
 */
export async function aliasDevice(
  statements: Statements,
  { accountId, deviceId }: { readonly accountId: string; readonly deviceId: string | undefined },
  aliases: readonly string[],
): Promise<AliasDevice> {
  if (aliases.length === 0 || deviceId !== undefined) return { ok: true, deviceId }
  const received = await Promise.all(
    aliases.map((sender) =>
      statements.inboxItem.findFirst({
        where: { accountId, sender },
        orderBy: { createdAt: 'desc' },
        select: { deviceId: true },
      }),
    ),
  )
  const devices = new Set(received.map((item) => item?.deviceId))
  const [found] = devices
  if (devices.has(undefined))
    return refused('is required, because the inbox has no message from an alias in phoneNumbers')
  if (devices.size > 1)
    return refused('differs between the aliases in phoneNumbers: send a message for each device that reported them')
  return { ok: true, deviceId: found }
}

function refused(message: string): AliasDevice {
  return { ok: false, refusal: refusal([{ path: 'deviceId', message }], 'body') }
}
