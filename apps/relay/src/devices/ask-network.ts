import { ussdAnswer, ussdRequest } from '@smsgw/contract/device'
import { idParams } from '@smsgw/contract/ids'
import type { Command } from '@smsgw/contract/link/command'
import { z } from 'zod'
import type { WakeHint } from '../agents/wake-hint.ts'
import type { Clock } from '../clock.ts'
import { ApiError } from '../http/api-error.ts'
import { type Answer, type Endpoint, endpoint } from '../http/endpoint.ts'
import { newId, type Random } from '../random.ts'
import type { Database } from '../store/database.ts'

export interface AskNetworkNeeds {
  readonly database: Database
  readonly clock: Clock
  readonly random: Random
  readonly hints: {
    wake(deviceIds: readonly string[]): void
    listen(listener: (hint: WakeHint) => boolean | undefined): () => void
  }
}

/**
 * USSD through a device that may be connected to any replica: a command waits for it like all others, and its answer is
 * waited for here. A hint tells of it at once, and a look every second when the hint was lost.
 */
export function askNetwork(needs: AskNetworkNeeds): Endpoint {
  return endpoint({
    params: idParams,
    body: ussdRequest,
    answers: { 200: ussdAnswer },
    errors: [404, 409, 503, 504],
    async handle({ principal: { accountId }, params: { id: deviceId }, body }) {
      await refuseAbsent(needs, accountId, deviceId)
      const cmdId = newId(needs.random)
      const { code, simNumber, sessionId } = body
      const command: Command = {
        kind: 'ussd',
        cmdId,
        code,
        ...(simNumber !== undefined && { simNumber }),
        ...(sessionId !== undefined && { sessionId }),
      }
      const now = needs.clock.now()
      const expiresAt = new Date(now.getTime() + LONGEST_MS)
      await needs.database.deviceCommand.create({
        data: { cmdId, deviceId, accountId, command, createdAt: now, expiresAt },
        select: { cmdId: true },
      })
      try {
        return answerOf(await answered(needs, accountId, deviceId, cmdId))
      } finally {
        await needs.database.deviceCommand.deleteMany({ where: { cmdId, accountId } })
      }
    },
  })
}

async function refuseAbsent({ database, clock }: AskNetworkNeeds, accountId: string, id: string): Promise<void> {
  const device = await database.device.findFirst({
    where: { id, accountId, deletedAt: null },
    select: { leaseUntil: true },
  })
  if (device === null) throw new ApiError(404, 'There is no such device: GET /devices lists them')
  if (device.leaseUntil !== null && device.leaseUntil > clock.now()) return
  throw new ApiError(503, 'The device is not connected now: try again when it is', { headers: { 'Retry-After': '30' } })
}

async function answered(
  { database, hints }: AskNetworkNeeds,
  accountId: string,
  deviceId: string,
  cmdId: string,
): Promise<unknown> {
  let isTold = false
  let wake: () => void = () => undefined
  const stop = hints.listen((hint) => {
    if (hint.kind !== 'answered' || hint.cmdId !== cmdId) return undefined
    isTold = true
    wake()
    return undefined
  })
  try {
    hints.wake([deviceId])
    const until = performance.now() + LONGEST_MS
    while (performance.now() < until) {
      const row = await database.deviceCommand.findFirst({ where: { cmdId, accountId }, select: { answer: true } })
      if (row === null) throw new ApiError(404, 'The device was deleted meanwhile')
      if (row.answer !== null) return row.answer
      // Told while it looked: there is nothing to wait for.
      if (isTold) {
        isTold = false
        continue
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return { outcome: 'no-answer' }
  } finally {
    stop()
  }
}

const told = z.object({
  outcome: z.string(),
  text: z.string().default(''),
  more: z.boolean().default(false),
  sessionId: z.string().optional(),
  reason: z.string().optional(),
})

function answerOf(answer: unknown): Answer {
  const { outcome, text, more, sessionId, reason } = told.parse(answer)
  switch (outcome) {
    case 'answered':
      return { status: 200, body: { text, more, ...(sessionId !== undefined && { sessionId }) } }
    case 'no-answer':
      throw new ApiError(504, 'The network does not answer: try again in a while, or check the code')
    case 'busy':
      throw new ApiError(409, reason ?? 'The SIM is in another conversation with the network: try again in a while')
    default:
      throw new ApiError(409, reason ?? 'The device cannot ask the network now')
  }
}

/** The network may take two minutes (27.007), and so may the way to it. */
const LONGEST_MS = 130_000
const LOOK_MS = 1_000
