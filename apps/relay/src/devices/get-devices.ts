import { createHash } from 'node:crypto'
import {
  type DeviceAnswer,
  type DeviceDetailAnswer,
  device,
  deviceDetail,
  listDevicesQuery,
} from '@smsgw/contract/devices/device'
import { idParams } from '@smsgw/contract/fields/ids'
import { readTelemetry, type TelemetrySample } from '@smsgw/contract/link/telemetry'
import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { withRelayLeases } from '../link/claim/device-leases.ts'
import { isLeased } from '../link/claim/lease.ts'
import { oldestLogTime } from '../logs/logbook.ts'
import type { Device, LogEntry, SimCard } from '../store/generated/client.ts'
import { aliasKeysOf } from './alias-keys.ts'
import { readSimNames } from './change-device.ts'
import { countDeviceQueue } from './count-device-queue-statement.ts'
import { modemAnswer } from './modem-answer.ts'
import { simCardAnswer } from './sim-card-answer.ts'

type GetDevicesDeps = Pick<CoreDeps, 'database' | 'clock'>

const MOST_ERRORS = 10

/** Lists devices, oldest first. */
export function listDevices({ database, clock }: GetDevicesDeps): Endpoint {
  return endpoint({
    query: listDevicesQuery,
    answers: { 200: z.array(device) },
    async handle({ principal: { accountId }, query: { includeDeleted } }) {
      const devices = await database.device.findMany({
        where: { accountId, ...(!includeDeleted && { deletedAt: null }) },
        include: { simCards: { orderBy: { simNumber: 'asc' } } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
      const leased = await withRelayLeases(database, devices)
      const now = clock.now()
      return { status: 200, body: leased.map((one) => deviceAnswer(one, now)) }
    },
  })
}

/** Returns a device as in the list, together with the last report of its agent and its last errors. */
export function getDevice(deps: GetDevicesDeps): Endpoint {
  const { database, clock } = deps
  return endpoint({
    params: idParams,
    answers: { 200: deviceDetail },
    async handle({ principal: { accountId }, params: { id } }) {
      const devices = await database.device.findMany({
        where: { id, accountId, deletedAt: null },
        include: { simCards: { orderBy: { simNumber: 'asc' } } },
      })
      const [device] = await withRelayLeases(database, devices)
      if (device === undefined) throw noSuchDevice()
      const oldest = await oldestLogTime(deps, accountId)
      const [queue, errors] = await Promise.all([
        countDeviceQueue(database, accountId, id),
        database.logEntry.findMany({
          where: { accountId, deviceId: id, priority: { in: ['WARN', 'ERROR'] }, createdAt: { gte: oldest } },
          orderBy: { createdAt: 'desc' },
          take: MOST_ERRORS,
        }),
      ])
      const listed = deviceAnswer(device, clock.now())
      const { agentVersion, connectedAt } = device
      const reported = readTelemetry(device.telemetry)
      const body: DeviceDetailAnswer = {
        ...listed,
        ...(agentVersion !== null && { version: agentVersion }),
        ...(reported.platform !== undefined && { platform: reported.platform }),
        ...keyFingerprint(listed),
        ...(listed.online && connectedAt !== null && { connectedSince: connectedAt.toISOString() }),
        queue,
        ...journalAnswer(reported),
        modems: (reported.modems ?? []).map(modemAnswer),
        lastErrors: errors.map(errorAnswer),
      }
      return { status: 200, body }
    },
  })
}

/**
 * Returns the fingerprint of a key. A phone may report a text that is not base64, and such a text has no fingerprint.
 */
function keyFingerprint({ publicKey }: DeviceAnswer): Pick<DeviceDetailAnswer, 'keyFingerprint'> {
  const octets = Buffer.from(publicKey ?? '', 'base64')
  if (octets.length === 0 || octets.toString('base64') !== publicKey) return {}
  return { keyFingerprint: createHash('sha256').update(octets).digest('hex') }
}

function journalAnswer({ journal, queue }: TelemetrySample): Pick<DeviceDetailAnswer, 'journal'> {
  const sizeBytes = journal?.sizeBytes
  const fsyncMs = journal?.fsyncMs ?? queue?.fsyncMs
  if (sizeBytes === undefined && fsyncMs === undefined) return {}
  return { journal: { ...(sizeBytes !== undefined && { sizeBytes }), ...(fsyncMs !== undefined && { fsyncMs }) } }
}

function errorAnswer({ createdAt, priority, module, message }: LogEntry): DeviceDetailAnswer['lastErrors'][number] {
  return { at: createdAt.toISOString(), priority: priority === 'ERROR' ? 'ERROR' : 'WARN', module, message }
}

/**
 * Returns a device as the API shows it. The caller has applied `withRelayLeases` to the device, so its lease has
 * expired if the relay has ended.
 */
export function deviceAnswer(device: Device & { readonly simCards: readonly SimCard[] }, now: Date): DeviceAnswer {
  const { id, name, createdAt, updatedAt, deletedAt, lastSeen, leaseUntil, simCards } = device
  const { encryptionKey, encryptionKeyVersion } = device
  const simNames = readSimNames(device.simNames)
  const aliasKeys = aliasKeysOf(device)
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    lastSeen: (lastSeen ?? createdAt).toISOString(),
    ...(deletedAt !== null && { deletedAt: deletedAt.toISOString() }),
    online: isLeased(leaseUntil, now),
    simCards: simCards.map((sim) => simCardAnswer({ ...sim, name: simNames[sim.simNumber] })),
    ...(simCards.length > 0 && simCards.every(({ isEmulated }) => isEmulated) && { isEmulated: true as const }),
    ...(device.phoneTokenHash !== null && { isPhone: true as const }),
    ...(encryptionKey !== null && { publicKey: encryptionKey }),
    ...(encryptionKeyVersion !== null && { keyVersion: encryptionKeyVersion }),
    ...(aliasKeys.length > 0 && { aliasKeys: [...aliasKeys] }),
  }
}

export function noSuchDevice(): ApiError {
  return new ApiError(404, 'No device has this id: see GET /devices')
}
