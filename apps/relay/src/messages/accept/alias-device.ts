import { aliasKeyId } from '@smsgw/contract/devices/number-alias'
import { aliasKeysOf } from '../../devices/alias-keys.ts'
import type { ApiError } from '../../http/errors/api-error.ts'
import { validationError } from '../../http/errors/validation-error.ts'
import type { Statements } from '../../store/database.ts'

type AliasDevice =
  | { readonly ok: true; readonly deviceId: string | undefined }
  | { readonly ok: false; readonly refusal: ApiError }

/**
 * Returns the device for a message to aliases of phone numbers: the device in the request, otherwise a device that can
 * decrypt the aliases. Undefined if the message has no aliases and names no device.
 */
export async function aliasDevice(
  statements: Statements,
  { accountId, deviceId }: { readonly accountId: string; readonly deviceId: string | undefined },
  aliases: readonly string[],
): Promise<AliasDevice> {
  if (aliases.length === 0 || deviceId !== undefined) return { ok: true, deviceId }
  const keyHolders = await readKeyHolders(statements, accountId)
  const holders = await Promise.all(
    aliases.map((alias) => ableDevice(keyHolders, alias) ?? receiverOf(statements, accountId, alias)),
  )
  const devices = new Set(holders.map((holder) => holder?.id))
  const [found] = devices
  if (devices.has(undefined))
    return refused(
      'is required, because phoneNumbers contains an alias for which no device has the key and from which the inbox has no message',
    )
  if (holders.some((holder) => holder?.isDeleted))
    return refused(
      'is required, because the device that reported an alias in phoneNumbers was deleted: pair its agent again, then set deviceId to the new device',
    )
  if (devices.size > 1)
    return refused(
      'cannot be chosen, because different devices reported the aliases in phoneNumbers: send a separate message for the aliases of each device',
    )
  return { ok: true, deviceId: found }
}

interface KeyHolder {
  readonly id: string
  readonly isDeleted: boolean
  readonly keyIds: readonly string[]
}

/** Returns the devices that reported keys of aliases. Those that connected last come first. */
async function readKeyHolders(statements: Statements, accountId: string): Promise<readonly KeyHolder[]> {
  const devices = await statements.device.findMany({
    where: { accountId, NOT: { aliasKeys: { equals: [] } } },
    orderBy: { connectedAt: { sort: 'desc', nulls: 'last' } },
    select: { id: true, deletedAt: true, aliasKeys: true },
  })
  return devices.map((device) => ({
    id: device.id,
    isDeleted: device.deletedAt !== null,
    keyIds: aliasKeysOf(device).map(({ id }) => id),
  }))
}

/**
 * Returns a device that can decrypt the alias; undefined if no device reported its key. An agent keeps its secret when
 * it is paired again, and its new device then reports only the current key. Devices with a common key have the same
 * secret, so each of these devices can decrypt the aliases of all others.
 */
function ableDevice(holders: readonly KeyHolder[], alias: string): Pick<KeyHolder, 'id' | 'isDeleted'> | undefined {
  const keyIds = new Set([aliasKeyId(alias)])
  let able: readonly KeyHolder[] = []
  for (let before = -1; able.length > before; ) {
    before = able.length
    able = holders.filter((holder) => holder.keyIds.some((id) => keyIds.has(id)))
    for (const id of able.flatMap((holder) => holder.keyIds)) keyIds.add(id)
  }
  return able.find(({ isDeleted }) => !isDeleted) ?? able[0]
}

/**
 * Returns the device that reported an alias. Needed for a device that is connected to a relay of an earlier release,
 * because such a relay does not store the keys of the device.
 */
async function receiverOf(
  statements: Statements,
  accountId: string,
  sender: string,
): Promise<Pick<KeyHolder, 'id' | 'isDeleted'> | undefined> {
  const received = await statements.inboxItem.findFirst({
    where: { accountId, sender },
    orderBy: { createdAt: 'desc' },
    select: { deviceId: true },
  })
  if (received === null) return undefined
  const { deviceId: id } = received
  const device = await statements.device.findUnique({ where: { id, accountId }, select: { deletedAt: true } })
  return { id, isDeleted: device?.deletedAt !== null }
}

function refused(message: string): AliasDevice {
  return { ok: false, refusal: validationError([{ path: 'deviceId', message }], 'body') }
}
