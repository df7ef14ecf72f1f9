import { deviceTelemetryQuery, type TelemetryPoint, telemetryPoint } from '@smsgw/contract/devices/device'
import { idParams } from '@smsgw/contract/fields/ids'
import { readTelemetry } from '@smsgw/contract/link/telemetry'
import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { fieldError } from '../http/errors/validation-error.ts'
import { noSuchDevice } from './get-devices.ts'
import { modemAnswer, storageUsed } from './modem-answer.ts'
import { readSamples } from './read-samples-statement.ts'

type ListDeviceTelemetryDeps = Pick<CoreDeps, 'database' | 'clock'>

const MOST_POINTS = 500
const DAY_MS = 86_400_000

/**
 * Lists telemetry oldest first, with one point per modem. If there are too many samples, lists one sample per time
 * interval.
 */
export function listDeviceTelemetry({ database, clock }: ListDeviceTelemetryDeps): Endpoint {
  return endpoint({
    params: idParams,
    query: deviceTelemetryQuery,
    answers: { 200: z.array(telemetryPoint) },
    isCompressible: true,
    async handle({ principal: { accountId }, params: { id }, query }) {
      const where = { id, accountId, deletedAt: null }
      const device = await database.device.findFirst({ where, select: { telemetry: true } })
      if (device === null) throw noSuchDevice()
      const to = query.to ?? clock.now()
      const from = query.from ?? new Date(to.getTime() - DAY_MS)
      if (from > to) throw fieldError('from', 'must not be after `to`', 'query')
      const modems = readTelemetry(device.telemetry).modems?.length ?? 0
      const most = Math.floor(MOST_POINTS / Math.max(1, modems))
      const samples = await readSamples(database, { accountId, deviceId: id, from, to, most })
      // If earlier samples have more modems than the latest sample, there are too many points, so only the latest
      // points are returned.
      return { status: 200, body: samples.flatMap(pointsOf).slice(-MOST_POINTS) }
    },
  })
}

function pointsOf({ at, sample }: { readonly at: Date; readonly sample: unknown }): TelemetryPoint[] {
  const { queue, journal, modems = [] } = readTelemetry(sample)
  const fsyncMs = journal?.fsyncMs ?? queue?.fsyncMs
  const ofAgent = {
    at: at.toISOString(),
    ...(queue?.open !== undefined && { queue: queue.open }),
    ...(fsyncMs !== undefined && { fsyncMs }),
  }
  if (modems.length === 0) return [ofAgent]
  return modems.map((modem) => {
    const { simNumber, signal, signalDbm, registration, recoverySteps } = modemAnswer(modem)
    const used = storageUsed(modem)
    return {
      ...ofAgent,
      ...(simNumber !== undefined && { simNumber }),
      ...(signal !== undefined && { signal }),
      ...(signalDbm !== undefined && { signalDbm }),
      ...(registration !== undefined && { registration }),
      ...(used !== undefined && { storageUsed: used }),
      ...(recoverySteps !== undefined && { recoverySteps }),
    }
  })
}
