import type { DeviceDetailAnswer, FindingsAnswer, ModemAnswer } from '@smsgw/contract/device'

/** The steps of a setup, in order. */
export const setupSteps = ['computer', 'modem', 'sim', 'network', 'test'] as const
export type SetupStep = (typeof setupSteps)[number]

/** The first step that is not done, and what it waits for. */
export type SetupState =
  | { readonly step: 'computer'; readonly kind: 'unpaired' | 'offline' }
  | { readonly step: 'modem'; readonly kind: 'missing' | 'starting' | 'failed' }
  | { readonly step: 'sim'; readonly kind: 'pin' | 'blocked' }
  | { readonly step: 'network'; readonly kind: 'searching' | 'denied' | 'roaming' }
  | { readonly step: 'test'; readonly kind: 'ready' }

/**
 * Finds the first step that is not done. `device` is undefined while no computer is paired. Agents report a change of a SIM at
 * once, and of a modem with their next telemetry.
 */
export function setupState(device: DeviceDetailAnswer | undefined, modem: ModemAnswer | undefined): SetupState {
  if (device === undefined) return { step: 'computer', kind: 'unpaired' }
  if (!device.online) return { step: 'computer', kind: 'offline' }
  if (modem === undefined) return { step: 'modem', kind: 'missing' }
  const sim = device.simCards.find(({ simNumber }) => simNumber === modem.simNumber)
  return stateOfModem(modem, sim?.state ?? modem.state)
}

function stateOfModem({ model, lastErrorCode }: ModemAnswer, state: string): SetupState {
  switch (state) {
    case 'ready':
    case 'degraded':
      return { step: 'test', kind: 'ready' }
    case 'starting':
      return { step: 'modem', kind: 'starting' }
    case 'locked':
      // An older agent does not say why the SIM is locked.
      return { step: 'sim', kind: lastErrorCode === undefined || takesPin.has(lastErrorCode) ? 'pin' : 'blocked' }
    case 'puk':
      return { step: 'sim', kind: 'blocked' }
    case 'searching':
    case 'denied':
    case 'roaming':
      return { step: 'network', kind: state }
    case 'absent':
      // The modem is disconnected, or has no SIM.
      return lastErrorCode === undefined && model === undefined
        ? { step: 'modem', kind: 'missing' }
        : { step: 'sim', kind: 'blocked' }
    default:
      return lastErrorCode?.startsWith('modem.sim-')
        ? { step: 'sim', kind: 'blocked' }
        : { step: 'modem', kind: 'failed' }
  }
}

/**
 * A modem starts again after each PIN. The form for the PIN stays until the result is known, so that a refusal is shown with the
 * attempts left.
 */
export function shownState(before: SetupState, current: SetupState): SetupState {
  return before.kind === 'pin' && current.kind === 'starting' ? before : current
}

/** The problems that a PIN solves. Of the others, some would use up the last attempt. */
const takesPin: ReadonlySet<string> = new Set(['modem.pin-required', 'modem.pin-malformed', 'modem.pin-wrong'])

/** The chosen modem, otherwise the first that works, otherwise the first that is connected. */
export function chosenModem(modems: readonly ModemAnswer[], simNumber: number | undefined): ModemAnswer | undefined {
  return (
    modems.find((modem) => modem.simNumber !== undefined && modem.simNumber === simNumber) ??
    modems.find(({ state }) => state === 'ready') ??
    modems.find(({ state }) => state !== 'absent') ??
    modems[0]
  )
}

type Finding = FindingsAnswer['findings'][number]

/** The findings that explain a state: what is wrong with the machine and with this modem, but not what the step says itself. */
export function findingsFor(
  { step, kind }: SetupState,
  modem: ModemAnswer | undefined,
  findings: readonly Finding[],
): readonly Finding[] {
  const isOfModem = ({ simNumber }: Finding) => simNumber === undefined || simNumber === modem?.simNumber
  const said = new Set([modem?.lastErrorCode, 'modems.none', ...saidByStep[step]])
  return findings.filter((finding) => {
    if (finding.code !== undefined && said.has(finding.code)) return false
    // The step itself says what is wrong with the SIM.
    if (step === 'sim' && finding.code?.startsWith('modem.')) return false
    if (finding.verdict === 'ok') return kind === 'missing' && finding.code?.startsWith('usb.')
    return isOfModem(finding) && (finding.verdict === 'problem' || step === 'modem' || step === 'network')
  })
}

const saidByStep: Readonly<Record<SetupStep, readonly string[]>> = {
  computer: [],
  // A port that does not exist is also one whose modem is silent.
  modem: ['modem.silent'],
  sim: [],
  network: ['network.none', 'network.denied', 'network.held'],
  test: [],
}

/** The PIN attempts that are left, if the SIM reports them. */
export function pinTriesLeft(modem: ModemAnswer | undefined, findings: readonly Finding[]): number | undefined {
  const tries = findings.find(({ code, simNumber }) => code === 'card.tries' && simNumber === modem?.simNumber)
  return typeof tries?.values?.['tries'] === 'number' ? tries.values['tries'] : undefined
}

/** True if a reply from `sender` comes from the phone `number`. Networks may write a number without its country code. */
export function isSameNumber(sender: string, number: string): boolean {
  const [one, other] = [sender, number].map((each) => each.replace(/\D/g, '').replace(/^0+/, ''))
  if (one === undefined || other === undefined || one.length < leastDigits) return false
  return one === other || (other.endsWith(one) && !sender.startsWith('+'))
}

const leastDigits = 7
