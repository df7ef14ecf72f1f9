import { findings } from '@smsgw/contract/device'
import { idParams } from '@smsgw/contract/ids'
import { agentEvent } from '@smsgw/contract/link/event'
import { ApiError } from '../http/api-error.ts'
import { type Answer, type Endpoint, endpoint } from '../http/endpoint.ts'
import { eventTime } from '../webhooks/local-time.ts'
import { type AskDeviceNeeds, askDevice } from './ask-device.ts'

/** The agent's doctor, from afar: it looks at its machine, its modems and their networks now. */
export function examineDevice(needs: AskDeviceNeeds & { readonly limitMs?: number }): Endpoint {
  return endpoint({
    params: idParams,
    answers: { 200: findings },
    errors: [404, 409, 504],
    async handle({ principal: { accountId }, params: { id: deviceId } }) {
      const answer = await askDevice(needs, {
        accountId,
        deviceId,
        command: (cmdId) => ({ kind: 'examine', cmdId }),
        limitMs: needs.limitMs ?? LONGEST_MS,
        absent: () => new ApiError(409, 'The device is not connected: on its machine `agent doctor` says why'),
      })
      if (answer === undefined)
        throw new ApiError(504, 'The device does not answer: it is busy, or its agent is older than this question')
      return findingsAnswer(answer, needs.clock.now())
    },
  })
}

/** As it was stored: the event without its name. */
function findingsAnswer(answer: unknown, now: Date): Answer {
  const told = agentEvent.parse({ ...(answer as object), kind: 'examined', cmdId: 'stored' })
  if (told.kind !== 'examined') throw new TypeError('the answer of a device is of another kind')
  return { status: 200, body: { checkedAt: eventTime(told.at, now).at.toISOString(), findings: told.findings } }
}

/** A modem that hangs is waited for some seconds by the agent itself, and all are looked at side by side. */
const LONGEST_MS = 45_000
