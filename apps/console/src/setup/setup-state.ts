import type { DeviceAnswer, DeviceDetailAnswer, FindingsAnswer, ModemAnswer } from '@smsgw/contract/devices/device'
import { isNumberAlias } from '@smsgw/contract/devices/number-alias'
import type { InboxItem } from '@smsgw/contract/inbox/inbox'

/** The steps of a setup, in order. */
export const setupSteps = ['computer', 'modem', 'sim', 'network', 'test'] as const
export type SetupStep = (typeof setupSteps)[number]

/** The first step that is not done yet, and why it is not done. */
export type SetupState =
  | { readonly step: 'computer'; readonly kind: 'unpaired' | 'offline' }
  | { readonly step: 'modem'; readonly kind: 'missing' | 'starting' | 'failed' }
  | { readonly step: 'sim'; readonly kind: 'pin' | 'blocked' }
  | { readonly step: 'network'; readonly kind: 'searching' | 'denied' | 'roaming' }
  | { readonly step: 'test'; readonly kind: 'ready' }

/**
 * Returns the first computer that is online and has no working SIM, otherwise the first computer. The user can choose
 * another one.
 */
export function computerToSetUp(computers: readonly DeviceAnswer[]): DeviceAnswer | undefined {
  return (
    computers.find(({ online, simCards }) => online && !simCards.some(({ state }) => state === 'ready')) ?? computers[0]
  )
}

/** Finds the first step that is not done. `device` is undefined while no computer is paired. */
export function setupState(device: DeviceDetailAnswer | undefined, modem: ModemAnswer | undefined): SetupState {
  if (device === undefined) return { step: 'computer', kind: 'unpaired' }
  if (!device.online) return { step: 'computer', kind: 'offline' }
  if (modem === undefined) return { step: 'modem', kind: 'missing' }
  return stateOfModem(modem, shownSimState(device, modem))
}

/**
 * Returns the state of the SIM. Agents report a change of a SIM at once, but a change of a modem only with their next
 * telemetry.
 */
export function shownSimState(device: DeviceDetailAnswer, modem: ModemAnswer): string {
  return device.simCards.find(({ simNumber }) => simNumber === modem.simNumber)?.state ?? modem.state
}

function stateOfModem({ lastErrorCode }: ModemAnswer, state: string): SetupState {
  switch (state) {
    case 'ready':
    case 'degraded':
      return { step: 'test', kind: 'ready' }
    case 'starting':
      return { step: 'modem', kind: 'starting' }
    case 'locked':
      // The kind is unknown for an older agent, which does not report why the SIM is locked.
      return { step: 'sim', kind: lastErrorCode === undefined || takesPin.has(lastErrorCode) ? 'pin' : 'blocked' }
    case 'puk':
      return { step: 'sim', kind: 'blocked' }
    case 'searching':
    case 'denied':
    case 'roaming':
      return { step: 'network', kind: state }
    case 'absent':
      // A disconnected modem has no error code, but a modem without a SIM has one.
      return lastErrorCode === undefined ? { step: 'modem', kind: 'missing' } : { step: 'sim', kind: 'blocked' }
    default:
      return lastErrorCode?.startsWith('modem.sim-')
        ? { step: 'sim', kind: 'blocked' }
        : { step: 'modem', kind: 'failed' }
  }
}

/** The state of the modem that the page shows. */
export interface ShownState {
  readonly simNumber: number | undefined
  readonly state: SetupState
}

/**
 * Returns the state to show. A modem starts again after each PIN. Until the result is known, the form for the PIN is
 * still shown. If the PIN was wrong, the form then shows this and the number of remaining attempts.
 */
export function shownState(before: ShownState, current: ShownState): ShownState {
  const isSameModem = before.simNumber === current.simNumber
  return isSameModem && before.state.kind === 'pin' && current.state.kind === 'starting' ? before : current
}

export function isSameState(one: ShownState, other: ShownState): boolean {
  return one.simNumber === other.simNumber && one.state.step === other.state.step && one.state.kind === other.state.kind
}

/** The problems that a PIN can solve. With other problems, entering a PIN might use up the last attempt. */
const takesPin: ReadonlySet<string> = new Set(['modem.pin-required', 'modem.pin-malformed', 'modem.pin-wrong'])

/**
 * Returns the modem with the chosen SIM, otherwise the shown modem while it is connected, otherwise the first working
 * modem, otherwise the first connected modem.
 */
export function chosenModem(
  modems: readonly ModemAnswer[],
  chosen: number | undefined,
  shown?: number,
): ModemAnswer | undefined {
  return (
    modems.find(({ simNumber }) => simNumber !== undefined && simNumber === chosen) ??
    modems.find(({ simNumber, state }) => simNumber !== undefined && simNumber === shown && state !== 'absent') ??
    modems.find(({ state }) => state === 'ready') ??
    modems.find(({ state }) => state !== 'absent') ??
    modems[0]
  )
}

type Finding = FindingsAnswer['findings'][number]

/**
 * Returns the findings that explain a state: problems of the machine and of this modem, except problems that the step
 * already shows.
 */
export function findingsFor(
  { step, kind }: SetupState,
  modem: ModemAnswer | undefined,
  findings: readonly Finding[],
): readonly Finding[] {
  const isOfModem = ({ simNumber }: Finding) => simNumber === undefined || simNumber === modem?.simNumber
  const said = new Set([modem?.lastErrorCode, 'modems.none', ...saidByStep[step]])
  return findings.filter((finding) => {
    if (finding.code !== undefined && said.has(finding.code)) return false
    // Leaves out this finding, because the step already shows the problem of the SIM.
    if (step === 'sim' && finding.code?.startsWith('modem.')) return false
    if (finding.verdict === 'ok') return kind === 'missing' && finding.code?.startsWith('usb.')
    return isOfModem(finding) && (finding.verdict === 'problem' || step === 'modem' || step === 'network')
  })
}

const saidByStep: Readonly<Record<SetupStep, readonly string[]>> = {
  computer: [],
  // Leaves out the finding that the modem is silent, because a missing port also causes it.
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

/** The phone that a test message was sent to, and the SIM that sent it. */
export interface TestedLine {
  readonly number: string
  readonly simNumber: number | undefined
}

/** True if the phone of the test may have sent this message. The number of a hidden sender cannot be compared. */
export function isReplyTo({ number, simNumber }: TestedLine, reply: Pick<InboxItem, 'sender' | 'simNumber'>): boolean {
  const isOtherSim = reply.simNumber !== undefined && simNumber !== undefined && reply.simNumber !== simNumber
  return !isOtherSim && (isNumberAlias(reply.sender) || isSameNumber(reply.sender, number))
}

/**
 * True if a reply from `sender` comes from the phone `number`. Networks may write a number without its country code.
 */
export function isSameNumber(sender: string, number: string): boolean {
  const [one, other] = [sender, number].map((each) => each.replace(/\D/g, '').replace(/^0+/, ''))
  if (one === undefined || other === undefined || one.length < leastDigits) return false
  return one === other || (other.endsWith(one) && !sender.startsWith('+'))
}

const leastDigits = 7

/** Returns false while a modem starts, and for phones, because they are set up in their app. */
export function needsSetup(devices: readonly DeviceAnswer[]): boolean {
  return !devices.some(({ isPhone, simCards }) => isPhone || simCards.some(({ state }) => works.has(state)))
}

const works: ReadonlySet<string> = new Set(['ready', 'degraded', 'roaming', 'starting'])
