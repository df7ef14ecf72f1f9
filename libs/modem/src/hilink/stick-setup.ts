import type { Cancellation } from '../cancellation.ts'
import type { Clock } from '../clock.ts'
import type { PinTries } from '../commands/sim/pin-counter.ts'
import type { ModemDefaults } from '../modem-options.ts'
import { Pause } from '../pause.ts'
import { genericProfile } from '../profiles/generic.ts'
import type { Profile } from '../profiles/profile.ts'
import { beginPinAttempt } from '../setup/pin-attempt.ts'
import { type EnteredPin, hasFallen, type PinMemory } from '../setup/pin-memory.ts'
import type { ModemSession } from '../setup/startup.ts'
import type { StartupStage } from '../setup/startup-context.ts'
import { type StartupFailure, startupFailure } from '../setup/startup-failure.ts'
import { loginRequired } from './hilink-errors.ts'
import { memory } from './stick-inbox.ts'
import type { WebAnswer, WebSession } from './web-session.ts'
import { childNumber, childText, type XmlElement } from './xml.ts'

export interface StickSetup {
  readonly session: WebSession
  readonly clock: Clock
  readonly cancellation: Cancellation
  readonly options: Pick<ModemDefaults, 'simPollMs' | 'simBusyLimitMs'>
  readonly simPin: string | undefined
  readonly pinMemory: PinMemory
  readonly onStage: (stage: StartupStage) => void
}

/** The identity of a stick and its SIM. */
export interface StickIdentity {
  readonly imei: string | undefined
  readonly serial: string | undefined
  readonly imsi: string | undefined
  readonly iccid: string | undefined
  readonly model: string | undefined
  readonly firmware: string | undefined
  readonly ownNumber: string | undefined
}

/**
 * Sets up a stick: identifies the stick, waits for its SIM, and enters the PIN under the same rules as for AT modems.
 */
export async function setUpStick(setup: StickSetup): Promise<ModemSession | StartupFailure> {
  setup.onStage('probing')
  const contact = await contactStick(setup)
  if ('reason' in contact) return contact
  setup.onStage('identifying')
  setup.onStage('sim')
  const failure = await unlockStick(setup, contact.iccid ?? null)
  if (failure !== undefined) return failure
  // A locked SIM shows neither IMSI nor number.
  const identity = await readIdentity(setup.session)
  if ('reason' in identity) return identity
  return sessionOf(identity)
}

export async function readIdentity(session: WebSession): Promise<StickIdentity | StartupFailure> {
  const answer = await session.get('/api/device/information')
  if (answer.kind === 'value') return identityIn(answer.value)
  if (answer.kind === 'refused' && answer.error.code === loginRequired) return loginFailure(session)
  return startupFailure('no-answer', answer.kind === 'refused' ? answer.error.text : answer.why)
}

export function identityIn(information: XmlElement): StickIdentity {
  const text = (name: string) => childText(information, name)?.trim() || undefined
  const digits = (name: string, form: RegExp) => {
    const value = text(name)
    return value !== undefined && form.test(value) ? value : undefined
  }
  return {
    imei: digits('Imei', /^\d{14,16}$/),
    serial: digits('SerialNumber', /^[\w-]{4,32}$/),
    imsi: digits('Imsi', /^\d{14,15}$/),
    iccid: digits('Iccid', /^\d{18,20}$/),
    model: text('DeviceName')?.slice(0, 64),
    firmware: text('SoftwareVersion')?.slice(0, 64),
    ownNumber: digits('Msisdn', /^\+?\d{3,20}$/),
  }
}

/** Compares only the identifiers that both have, because a starting stick does not report all of them. */
export function isSameStick(one: StickIdentity, other: StickIdentity): boolean {
  return (['imei', 'serial', 'imsi', 'iccid'] as const).every(
    (name) => one[name] === undefined || other[name] === undefined || one[name] === other[name],
  )
}

export async function readStickPinTries(session: WebSession): Promise<PinTries | undefined> {
  const answer = await session.get('/api/pin/status')
  if (answer.kind !== 'value') return undefined
  const pin = childNumber(answer.value, 'SimPinTimes')
  return pin === undefined ? undefined : { pin, puk: childNumber(answer.value, 'SimPukTimes') }
}

/**
 * The differences from other modems, which `status` and `doctor` show. The other members of the profile do not apply to
 * a stick.
 */
const hilinkProfile: Profile = {
  ...genericProfile,
  name: 'hilink',
  pinCounters: [],
  radio: { ...genericProfile.radio, resetCommands: [] },
  advice: [],
}

function sessionOf(identity: StickIdentity): ModemSession {
  const { imei, serial, imsi, iccid, model, firmware, ownNumber } = identity
  return {
    identity: { imei, serial: imei === undefined ? serial : undefined, manufacturer: 'Huawei', model, firmware },
    profile: hilinkProfile,
    sim: {
      imsi,
      iccid,
      ownNumbers: ownNumber === undefined ? [] : [{ number: ownNumber, name: '' }],
      serviceCentre: 'unknown',
    },
    messages: {
      memories: [memory],
      receiveInto: memory,
      memorySelectable: true,
      indications: undefined,
      indicationsReadBack: undefined,
      acknowledges: false,
    },
    registrationDomains: [],
    shortcomings: ['web-interface'],
  }
}

function loginFailure({ loginRefusal }: WebSession): StartupFailure {
  return loginRefusal === undefined
    ? startupFailure('login-required')
    : startupFailure('login-refused', loginRefusal.text)
}

async function contactStick(setup: StickSetup): Promise<StickIdentity | StartupFailure> {
  const { session, clock, cancellation } = setup
  const untilMs = clock.nowMs() + contactLimitMs
  for (;;) {
    const identity = await readIdentity(session)
    const isFinal = !('reason' in identity) || identity.reason.startsWith('login-')
    if (isFinal || cancellation.cancelled || clock.nowMs() >= untilMs) return identity
    await new Pause(clock).wait(contactPauseMs, cancellation)
  }
}

async function unlockStick(setup: StickSetup, sim: string | null): Promise<StartupFailure | undefined> {
  const state = await awaitSettledState(setup)
  switch (state) {
    case 'ready':
      if (setup.simPin !== undefined) await setup.pinMemory.forget(sim, setup.simPin)
      return undefined
    case 'unsupported':
      return undefined
    case 'pin':
      return enterPin(setup, sim)
    case 'puk':
      return startupFailure('puk-required')
    case 'no-sim':
      return startupFailure('no-sim')
    case 'busy':
      return startupFailure(setup.cancellation.cancelled ? 'port-lost' : 'sim-busy')
    case 'no-answer':
      return startupFailure('fell-silent')
    case 'login':
      return loginFailure(setup.session)
  }
}

type SimState = 'ready' | 'pin' | 'puk' | 'no-sim' | 'busy' | 'unsupported' | 'no-answer' | 'login'

async function awaitSettledState(setup: StickSetup): Promise<SimState> {
  const { session, clock, cancellation, options } = setup
  const startedAtMs = clock.nowMs()
  for (;;) {
    const state = simStateIn(await session.get('/api/pin/status'))
    const waitedMs = clock.nowMs() - startedAtMs
    const mayChange =
      state === 'busy' || state === 'no-answer'
        ? waitedMs < options.simBusyLimitMs
        : state === 'no-sim' && waitedMs < simAbsentLimitMs
    if (!mayChange || cancellation.cancelled) return state
    await new Pause(clock).wait(options.simPollMs, cancellation)
  }
}

function simStateIn(answer: WebAnswer): SimState {
  if (answer.kind === 'refused') {
    if (answer.error.code === loginRequired) return 'login'
    return answer.error.class === 'unsupported' ? 'unsupported' : 'busy'
  }
  if (answer.kind !== 'value') return 'no-answer'
  return simStates.get(childNumber(answer.value, 'SimState') ?? 0) ?? 'busy'
}

async function enterPin(setup: StickSetup, sim: string | null): Promise<StartupFailure | undefined> {
  const { session, pinMemory, simPin: pin } = setup
  if (pin === undefined) return startupFailure('pin-required', undefined, (await readStickPinTries(session))?.pin)
  if (!/^\d{4,8}$/.test(pin)) return startupFailure('pin-malformed')
  const tries = (await readStickPinTries(session))?.pin
  const attempt = await beginPinAttempt(pinMemory, sim, pin, tries)
  if ('reason' in attempt) return attempt
  const answer = await session.post('/api/pin/operate', [
    ['OperateType', 0],
    ['CurrentPin', pin],
    ['NewPin', ''],
    ['PukCode', ''],
  ])
  if (answer.kind === 'not-sent') {
    await attempt.takeBack()
    return startupFailure('port-lost')
  }
  return judgePin(setup, attempt.entered)
}

async function judgePin(setup: StickSetup, entered: EnteredPin): Promise<StartupFailure | undefined> {
  const { session, clock, cancellation, pinMemory } = setup
  const untilMs = clock.nowMs() + pinLimitMs
  for (;;) {
    const state = simStateIn(await session.get('/api/pin/status'))
    if (state === 'ready') {
      await pinMemory.forget(entered.sim, entered.pin)
      return undefined
    }
    const left = (await readStickPinTries(session))?.pin
    if (state === 'puk' || hasFallen(entered, left)) {
      await pinMemory.note({ ...entered, verdict: 'refused' })
      return startupFailure('pin-wrong', undefined, left)
    }
    if (cancellation.cancelled) return startupFailure('port-lost')
    if (clock.nowMs() >= untilMs) {
      if (left !== undefined) await pinMemory.note({ ...entered, verdict: 'spent' })
      return startupFailure('pin-not-taken', undefined, left)
    }
    await new Pause(clock).wait(setup.options.simPollMs, cancellation)
  }
}

/** `SimState` of `pin/status`. Other values are reported while the SIM starts. */
const simStates: ReadonlyMap<number, SimState> = new Map([
  [255, 'no-sim'],
  [257, 'ready'],
  [258, 'ready'],
  [259, 'ready'],
  [260, 'pin'],
  [261, 'puk'],
])

const contactLimitMs = 60_000
const contactPauseMs = 2_000
const simAbsentLimitMs = 10_000
const pinLimitMs = 20_000
