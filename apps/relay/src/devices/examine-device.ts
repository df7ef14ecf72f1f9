import { findings } from '@smsgw/contract/devices/device'
import { idParams } from '@smsgw/contract/fields/ids'
import { agentEvent } from '@smsgw/contract/link/event'
import { type Answer, type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import { eventTime } from '../webhooks/outbox/local-time.ts'
import { type AskDeviceDeps, askDevice } from './ask-device.ts'

/** Runs diagnostics of an agent's machine, its modems and their networks, like `agent doctor`. */
export function examineDevice(deps: AskDeviceDeps & { readonly limitMs?: number }): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: findings },
    errors: [404, 409, 504],
    async handle({ principal: { accountId }, params: { id: deviceId }, access }) {
      const answer = await askDevice(deps, {
        accountId,
        deviceId,
        access,
        command: (cmdId) => ({ kind: 'examine', cmdId }),
        limitMs: deps.limitMs ?? LONGEST_MS,
        offline: () =>
          new ApiError(409, 'The device is offline: run `agent doctor` on its machine', { reason: 'device_offline' }),
      })
      if (answer === undefined)
        throw new ApiError(
          504,
          'The device did not answer: it is busy, or its agent is too old. Try again, or update the agent',
        )
      return findingsAnswer(answer, deps.clock.now())
    },
  })
}

/** Returns the findings as an answer. Adds the kind and the command id, which a stored event lacks. */
function findingsAnswer(answer: unknown, now: Date): Answer {
  const result = agentEvent.parse({ ...(answer as object), kind: 'examined', cmdId: 'stored' })
  if (result.kind !== 'examined') throw new TypeError('the device sent an answer of an unexpected kind')
  return { status: 200, body: { checkedAt: eventTime(result.at, now).at.toISOString(), findings: result.findings } }
}

/** The longest duration. The agent examines all modems in parallel and waits some seconds for a modem that hangs. */
const LONGEST_MS = 45_000
