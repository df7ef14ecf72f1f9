import { device } from '@smsgw/contract/device'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { type Endpoint, endpoint } from '../http/endpoint.ts'
import type { Database } from '../store/database.ts'
import { deviceAnswer } from './device-answer.ts'

/** Lists devices, oldest first. */
export function listDevices({ database, clock }: { readonly database: Database; readonly clock: Clock }): Endpoint {
  return endpoint({
    answers: { 200: z.array(device) },
    async handle({ principal: { accountId } }) {
      const devices = await database.device.findMany({
        where: { accountId, deletedAt: null },
        include: { simCards: { orderBy: { simNumber: 'asc' } } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      })
      const now = clock.now()
      return { status: 200, body: devices.map((one) => deviceAnswer(one, now)) }
    },
  })
}
