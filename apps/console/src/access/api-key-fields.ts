import type { ApiKey, KeyLimits } from '@smsgw/contract/access/api-key'
import type { DeviceAnswer } from '@smsgw/contract/devices/device'
import { numbersIn } from '../conversations/recipients.ts'

/** The limits of a key as text in the form. */
export interface LimitFields {
  /** The values of {@link SimChoice} that were chosen. */
  readonly sims: readonly string[]
  readonly recipients: string
  readonly recipientsPerDay: number | undefined
  readonly needsApproval: boolean
}

/** One SIM, or every SIM of a device when `simNumber` is undefined. */
export interface SimChoice {
  readonly value: string
  readonly deviceId: string
  readonly simNumber: number | undefined
  readonly deviceName: string
}

export function fieldsOf({ sims = [], recipients = [], recipientsPerDay, approval }: KeyLimits): LimitFields {
  const needsApproval = approval !== undefined
  return { sims: sims.map(choiceValue), recipients: recipients.join('\n'), recipientsPerDay, needsApproval }
}

/** The limits as the API expects them. An empty field sets no limit. */
export function limitsOf({ sims, recipients, recipientsPerDay, needsApproval }: LimitFields): KeyLimits {
  const numbers = numbersIn(recipients).map((number) => number.replace(/[\s().-]/g, ''))
  const devices = new Set(sims.map(simOf).flatMap(({ deviceId, simNumber }) => (simNumber ? [] : [deviceId])))
  const needed = sims.map(simOf).filter(({ deviceId, simNumber }) => simNumber === undefined || !devices.has(deviceId))
  return {
    ...(needed.length > 0 && { sims: needed }),
    ...(numbers.length > 0 && { recipients: numbers }),
    ...(recipientsPerDay !== undefined && { recipientsPerDay }),
    ...(needsApproval && { approval: 'required' as const }),
  }
}

/**
 * Every device, and every SIM of a device with several SIMs. A chosen SIM of a removed device is listed by device id.
 */
export function simChoices(devices: readonly DeviceAnswer[], chosen: readonly string[]): readonly SimChoice[] {
  const present = devices.flatMap(({ id, name, simCards }) => {
    const each = simCards.length > 1 ? simCards.map(({ simNumber }) => simNumber) : []
    return [undefined, ...each].map((simNumber) => choiceOf({ deviceId: id, simNumber }, name))
  })
  const gone = chosen
    .filter((value) => !present.some((choice) => choice.value === value))
    .map((value) => {
      const sim = simOf(value)
      return choiceOf(sim, devices.find(({ id }) => id === sim.deviceId)?.name ?? sim.deviceId)
    })
  return [...present, ...gone]
}

/** Sorts the keys: usable keys come before the others. Within both groups, the order stays the same (newest first). */
export function inOrder(keys: readonly ApiKey[]): readonly ApiKey[] {
  return [...keys.filter(({ state }) => state === 'active'), ...keys.filter(({ state }) => state !== 'active')]
}

type Sim = NonNullable<KeyLimits['sims']>[number]

function choiceOf(sim: Sim, deviceName: string): SimChoice {
  return { value: choiceValue(sim), deviceId: sim.deviceId, simNumber: sim.simNumber, deviceName }
}

/** The number comes first, because the id of a device may contain any character. */
function choiceValue({ deviceId, simNumber }: Sim): string {
  return `${simNumber ?? ''} ${deviceId}`
}

function simOf(value: string): Sim {
  const [simNumber = '', ...rest] = value.split(' ')
  return { deviceId: rest.join(' '), ...(simNumber !== '' && { simNumber: Number(simNumber) }) }
}
