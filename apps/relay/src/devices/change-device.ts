import { changeDeviceRequest, device } from '@smsgw/contract/devices/device'
import { idParams } from '@smsgw/contract/fields/ids'
import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import { deviceAnswer, noSuchDevice } from './get-devices.ts'
import { writeNames } from './write-names-statement.ts'

type ChangeDeviceDeps = Pick<CoreDeps, 'database' | 'clock' | 'logbook'>

/**
 * Renames a device and its SIM slots. Only the relay uses these names. The agent and its log use the name in the
 * settings of the agent.
 */
export function changeDevice({ database, clock, logbook }: ChangeDeviceDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: changeDeviceRequest,
    answers: { 200: device },
    async handle({ principal: { accountId }, params: { id: deviceId }, body }) {
      const simNames = Object.fromEntries(body.simCards?.map(({ simNumber, name }) => [simNumber, name || null]) ?? [])
      const now = clock.now()
      const changed = await writeNames(database, { accountId, deviceId }, { name: body.name ?? null, simNames, now })
      const stored = await database.device.findFirst({
        where: { id: deviceId, accountId, deletedAt: null },
        include: { simCards: { orderBy: { simNumber: 'asc' } } },
      })
      if (changed === 0 || stored === null) throw noSuchDevice()
      logbook.write({ accountId, deviceId, module: 'devices', priority: 'INFO', message: 'device names changed' })
      return { status: 200, body: deviceAnswer(stored, now) }
    },
  })
}

const simNames = z.record(z.string(), z.string())

export function readSimNames(stored: unknown): z.output<typeof simNames> {
  return simNames.parse(stored)
}
