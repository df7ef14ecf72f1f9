import { type DeviceDetailAnswer, deviceDetail } from '@smsgw/contract/device'
import { idParams } from '@smsgw/contract/ids'
import { readTelemetry, type TelemetrySample } from '@smsgw/contract/link/telemetry'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import type { LogEntry } from '../store/generated/client.ts'
import { countDeviceQueue } from './count-device-queue-statement.ts'
import { deviceAnswer } from './device-answer.ts'
import { modemAnswer } from './modem-answer.ts'
import { noSuchDevice } from './no-such-device.ts'

interface GetDeviceDeps {
  readonly database: Database
  readonly clock: Clock
}

const MOST_ERRORS = 10

/** Returns a device as in the list, with the last report of its agent and its last errors. */
export function getDevice({ database, clock }: GetDeviceDeps): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: deviceDetail },
    async handle({ principal: { accountId }, params: { id } }) {
      const device = await database.device.findFirst({
        where: { id, accountId, deletedAt: null },
        include: { simCards: { orderBy: { simNumber: 'asc' } } },
      })
      if (device === null) throw noSuchDevice()
      const [queue, errors] = await Promise.all([
        countDeviceQueue(database, accountId, id),
        database.logEntry.findMany({
          where: { accountId, deviceId: id, priority: { in: ['WARN', 'ERROR'] } },
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

function journalAnswer({ journal, queue }: TelemetrySample): Pick<DeviceDetailAnswer, 'journal'> {
  const sizeBytes = journal?.sizeBytes
  const fsyncMs = journal?.fsyncMs ?? queue?.fsyncMs
  if (sizeBytes === undefined && fsyncMs === undefined) return {}
  return { journal: { ...(sizeBytes !== undefined && { sizeBytes }), ...(fsyncMs !== undefined && { fsyncMs }) } }
}

function errorAnswer({ createdAt, priority, module, message }: LogEntry): DeviceDetailAnswer['lastErrors'][number] {
  return { at: createdAt.toISOString(), priority: priority === 'ERROR' ? 'ERROR' : 'WARN', module, message }
}
