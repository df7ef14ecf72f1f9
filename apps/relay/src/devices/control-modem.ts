import { enteredPin, enterPinRequest, restartModemRequest } from '@smsgw/contract/devices/device'
import { idParams } from '@smsgw/contract/fields/ids'
import type { Command } from '@smsgw/contract/link/command'
import { z } from 'zod'
import type { CoreDeps } from '../core-deps.ts'
import { type Call, type Endpoint, endpoint } from '../http/endpoint.ts'
import { ApiError } from '../http/errors/api-error.ts'
import type { SecretBox } from '../store/secret-box.ts'
import { type AskDeviceDeps, askDevice } from './ask-device.ts'

interface ControlModemDeps extends AskDeviceDeps, Pick<CoreDeps, 'box' | 'logbook'> {}

/**
 * Enters the PIN of a SIM. The database stores the PIN only until the request ends, and only encrypted. `openPin`
 * decrypts the PIN when the command is sent to the agent.
 */
export function enterPin(deps: ControlModemDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: enterPinRequest,
    answers: { 200: enteredPin },
    errors: [404, 409, 504],
    async handle({ principal: { accountId }, params: { id: deviceId }, body, access }) {
      const pin = deps.box.seal(body.pin, PIN_PURPOSE)
      const { outcome, reason, code, triesLeft, saved } = await askModem(
        deps,
        accountId,
        deviceId,
        access,
        (cmdId) => ({
          kind: 'enter-pin',
          cmdId,
          simNumber: body.simNumber,
          pin,
          ...(body.save && { save: true }),
        }),
      )
      const unlocked = outcome === 'done'
      const message = unlocked ? `SIM ${body.simNumber} unlocked with its PIN` : `SIM ${body.simNumber} not unlocked`
      deps.logbook.write({
        ...{ accountId, deviceId, module: 'devices', priority: unlocked ? 'INFO' : 'WARN', message },
        ...(reason !== undefined && { context: { reason } }),
      })
      return {
        status: 200,
        body: {
          unlocked,
          ...(body.save && { saved: saved === true }),
          ...(reason !== undefined && { reason }),
          ...(code !== undefined && { code }),
          ...(triesLeft !== undefined && { triesLeft }),
        },
      }
    },
  })
}

/**
 * Resets the modem of a SIM. Answers when the agent has begun the reset, because a modem needs up to a minute to start
 * again.
 */
export function restartModem(deps: ControlModemDeps): Endpoint {
  return endpoint({
    params: idParams,
    body: restartModemRequest,
    answers: { 202: z.strictObject({}) },
    errors: [404, 409, 504],
    async handle({ principal: { accountId }, params: { id: deviceId }, body: { simNumber }, access }) {
      const { outcome, reason } = await askModem(deps, accountId, deviceId, access, (cmdId) => ({
        kind: 'restart-modem',
        cmdId,
        simNumber,
      }))
      if (outcome !== 'done') throw new ApiError(409, reason ?? 'The agent refused to restart the modem')
      const message = `restart of the modem of SIM ${simNumber} requested`
      deps.logbook.write({ accountId, deviceId, module: 'devices', priority: 'INFO', message })
      return { status: 202, body: {} }
    },
  })
}

const PIN_PURPOSE = 'sim-pin'

/** Returns the command as the agent receives it. */
export function openPin(box: SecretBox, command: Command): Command {
  return command.kind === 'enter-pin' ? { ...command, pin: box.open(command.pin, PIN_PURPOSE) } : command
}

const modemAnswer = z.object({
  outcome: z.string(),
  reason: z.string().optional(),
  code: z.string().optional(),
  triesLeft: z.int().optional(),
  saved: z.boolean().optional(),
})

async function askModem(
  deps: ControlModemDeps,
  accountId: string,
  deviceId: string,
  access: Call<unknown, unknown, unknown>['access'],
  command: (cmdId: string) => Command,
): Promise<z.output<typeof modemAnswer>> {
  const answer = await askDevice(deps, {
    ...{ accountId, deviceId, access, command },
    requires: 'modem-commands',
    limitMs: LONGEST_MS,
    offline: () =>
      new ApiError(409, 'The device is offline: try again when it is online', { reason: 'device_offline' }),
  })
  if (answer === undefined)
    throw new ApiError(504, 'The device did not answer: check the state of the SIM before you try again')
  return modemAnswer.parse(answer)
}

/** A SIM may be busy for half a minute before and after the entry of its PIN. */
const LONGEST_MS = 90_000
