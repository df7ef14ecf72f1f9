import { describe, expect, test } from 'vitest'
import type { StartupFailureReason } from '../setup/startup-failure.ts'
import {
  blockedBy,
  healthy,
  identifying,
  looksInVain,
  lostState,
  Patient,
  probing,
  readyState,
  registering,
  silentState,
  unregistered,
} from '../testing/patient.ts'
import type { Rung } from './ladder.ts'
import { defaultRecoveryOptions as limits } from './state.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** A modem that still fails after one reset. It waits until the next reset is allowed. */
function resting(): Patient {
  const patient = healthy()
    .hears(silentState)
    .staysOutOfStep()
    .opens()
    .hears(blockedBy('no-answer'))
    .isTold()
    .waitsItOut()
  patient.hears(probing).hears(blockedBy('no-answer'))
  expect(patient.state.kind).toBe('resting')
  return patient
}

describe('the first start', () => {
  test('opens the port, sets the modem up, and is healthy when the modem is ready', () => {
    const patient = new Patient()
    expect(patient.lastAsked).toEqual(['open-port'])
    expect(patient.opens().lastAsked).toEqual(['set-up'])
    expect(patient.hears(probing).hears(identifying).state.kind).toBe('starting')
    expect(patient.hears(readyState).state).toMatchObject({ kind: 'healthy', service: true, deadlineMs: undefined })
    expect(patient.asked).toMatchObject([{ kind: 'healed', by: undefined }])
  })

  test('treats a modem without a network as healthy for a while', () => {
    const patient = new Patient().opens().hears(probing).hears(registering)
    expect(patient.state).toMatchObject({ kind: 'healthy', service: false, deadlineMs: limits.serviceLimitMs })
  })

  test('checks every two seconds for a missing device, and raises an alarm after two minutes', () => {
    const looks: number[] = []
    const patient = new Patient().untilAlarm((each) => {
      looks.push(each.atMs)
      each.findsNoDevice()
      if (each.state.kind === 'away') each.waitsItOut()
    })
    expect(patient.state).toMatchObject({ cause: { kind: 'gone', words: 'no such device' } })
    expect(looks).toEqual(Array.from({ length: 61 }, (_, look) => look * limits.awayLookMs))
    expect(patient.atMs).toBe(limits.awayLimitMs)
  })

  test('opens at once when the device appears', () => {
    const patient = new Patient().findsNoDevice()
    patient.asked = []
    expect(patient.takes({ kind: 'device-appeared' }).lastAsked).toEqual(['open-port'])
  })

  test('raises an alarm at once when another program holds the port', () => {
    const patient = new Patient()
    patient.takes({ kind: 'not-opened', attempt: patient.state.attempt, problem: 'refused', words: 'port busy' })
    expect(patient.state).toMatchObject({ kind: 'alarm', cause: { kind: 'port-refused', words: 'port busy' } })
  })

  test.each<StartupFailureReason>([
    'not-a-modem',
    'no-sim',
    'sim-failure',
    'pin-required',
    'pin-malformed',
    'pin-tries-unknown',
    'pin-last-try',
    'pin-wrong',
    'pin-not-taken',
    'puk-required',
    'modem-locked',
  ])('%s needs a person: raises an alarm at once and sends no command to the modem', (reason) => {
    const patient = new Patient().opens()
    patient.asked = []
    patient.hears(probing).hears(identifying).hears(blockedBy(reason))
    expect(patient.state).toMatchObject({ kind: 'alarm', cause: { kind: 'needs-hands', failure: { reason } } })
    expect(patient.lastAsked).toEqual(['raise-alarm'])
  })
})

describe('the ladder', () => {
  test('after resynchronisation, sets up a silent modem again before it counts as healthy', () => {
    const patient = healthy()
    expect(patient.hears(silentState).lastAsked).toEqual(['resynchronise'])
    expect(patient.getsInStep().lastAsked).toEqual(['set-up'])
    expect(patient.getsReady().state.kind).toBe('healthy')
    expect(patient.asked).toMatchObject([{ kind: 'healed', by: 'resynchronise' }])
  })

  test('resynchronises, reopens, then resets a modem that does not answer', () => {
    const patient = healthy().hears(silentState)
    expect(patient.staysOutOfStep().lastAsked).toEqual(['resynchronise', 'open-port'])
    expect(patient.opens().lastAsked).toEqual(['set-up'])
    expect(patient.hears(probing).hears(blockedBy('no-answer')).lastAsked).toEqual(['reset'])
    expect(patient.isTold().state.kind).toBe('returning')
    expect(patient.hears(lostState).lastAsked).toEqual(['open-port'])
    expect(patient.findsNoDevice().takes({ kind: 'device-appeared' }).opens().getsReady().state.kind).toBe('healthy')
    expect(patient.asked.at(-1)).toMatchObject({ kind: 'healed', by: 'reset' })
  })

  test('sets up again, restarts the radio, then resets a modem that answers but cannot be set up', () => {
    const patient = healthy().hears(probing).hears(identifying)
    expect(patient.hears(blockedBy('sim-busy')).lastAsked).toEqual(['set-up'])
    expect(patient.hears(probing).hears(blockedBy('sim-busy')).lastAsked).toEqual(['restart-radio'])
    expect(patient.hears(probing).hears(blockedBy('pdu-mode-refused')).lastAsked).toEqual(['reset'])
  })

  test('restarts the radio, then resets a modem that has no network for a long time', () => {
    const patient = healthy().hears(unregistered)
    expect(patient.waits(limits.serviceLimitMs - 1).lastAsked).toEqual([])
    expect(patient.waits(1).lastAsked).toEqual(['restart-radio'])
    expect(patient.hears(probing).hears(registering).state.kind).toBe('starting')
    expect(patient.waitsItOut().lastAsked).toEqual(['reset'])
  })

  test('ignores a short loss of the network', () => {
    const patient = healthy()
      .hears(unregistered)
      .waits(limits.serviceLimitMs - 1)
      .hears(readyState)
      .waits(hour)
    expect(patient.state.kind).toBe('healthy')
    expect(patient.asked).toEqual([])
  })

  test('a radio restart does not count as a recovery before the modem is set up', () => {
    const patient = healthy().hears(unregistered).waits(limits.serviceLimitMs)
    expect(patient.hears(unregistered).hears(readyState).state.kind).toBe('starting')
    expect(patient.getsReady().state.kind).toBe('healthy')
  })

  test('the ladder starts when a SIM that was present is missing', () => {
    const patient = healthy().hears(probing).hears(identifying)
    expect(patient.hears(blockedBy('no-sim')).lastAsked).toEqual(['set-up'])
  })

  test('ends each step at its deadline if it has no result', () => {
    const patient = healthy().hears(silentState)
    const kinds: string[] = []
    for (let steps = 0; patient.state.kind !== 'alarm' && steps < 40; steps += 1) {
      if (kinds.at(-1) !== patient.state.kind) kinds.push(patient.state.kind)
      expect(patient.state.deadlineMs).toBeGreaterThanOrEqual(patient.atMs)
      patient.waitsItOut()
    }
    // The port never finishes opening, so an alarm is raised after two minutes.
    expect(kinds).toEqual(['resynchronising', 'away'])
    expect(patient.state).toMatchObject({ kind: 'alarm', cause: { kind: 'gone' } })
  })

  test('collects evidence at every step', () => {
    const patient = healthy().hears(silentState).staysOutOfStep(true).opens().hears(blockedBy('no-answer')).isTold()
    patient.hears(lostState).opens().getsReady()
    expect(patient.asked.at(-1)).toMatchObject({
      kind: 'healed',
      evidence: [
        { step: 'healthy', found: 'the modem is not-answering' },
        { step: 'resynchronising', rung: 'resynchronise', found: 'the modem sends unreadable data' },
        { step: 'away', rung: 'reopen', found: 'the port is open' },
        { step: 'starting', rung: 'reopen', found: 'No modem answers on this port.' },
        { step: 'resetting', rung: 'reset', found: 'the reset command was written' },
        { step: 'returning', rung: 'reset', found: 'unplugged' },
        { step: 'away', rung: 'reset', found: 'the port is open' },
      ],
    })
  })

  test('keeps only the latest evidence of an endless failure', () => {
    const patient = new Patient()
    for (let looks = 0; looks < 50; looks += 1) patient.findsNoDevice().waitsItOut()
    expect(patient.state).toMatchObject({ kind: 'away', outage: { evidence: { length: 30 } } })
  })

  test('ignores the outcome of an abandoned request', () => {
    const patient = new Patient()
    const { attempt } = patient.state
    const waiting = patient.waitsItOut().state
    expect(waiting).toMatchObject({ kind: 'away', doing: 'waiting' })
    expect(patient.takes({ kind: 'opened', attempt }).state).toBe(waiting)
    const again = patient.waitsItOut().state
    expect(patient.takes({ kind: 'not-opened', attempt, problem: 'refused', words: 'busy' }).state).toBe(again)
  })

  test('reopens a lost port from any state', () => {
    const at: Record<string, Patient> = {
      healthy: healthy(),
      starting: healthy().hears(probing),
      resynchronising: healthy().hears(silentState),
      resetting: healthy().hears(silentState).staysOutOfStep().opens().hears(blockedBy('no-answer')),
      resting: resting(),
    }
    for (const [kind, patient] of Object.entries(at)) {
      expect(patient.state.kind).toBe(kind)
      patient.asked = []
      expect(patient.hears(lostState).lastAsked).toEqual(['open-port'])
      expect(patient.state.kind).toBe('away')
    }
  })

  test('raises an alarm for a device that disappears again and again, although it can be opened each time', () => {
    const patient = healthy()
    while (patient.state.kind !== 'alarm' && patient.atMs < 2 * hour) {
      patient
        .hears(lostState)
        .waits(second)
        .findsNoDevice()
        .waits(2 * second)
        .opens()
        .hears(probing)
        .waits(second)
    }
    expect(patient.state).toMatchObject({ kind: 'alarm', cause: { kind: 'gone' } })
    expect(patient.atMs - limits.relapseMs).toBeLessThan(limits.awayLimitMs + 10 * second)
  })
})

describe('the budget', () => {
  /** Simulates a modem that no reset helps. Records the times of the resets. */
  function incurable(): { patient: Patient; resets: number[] } {
    const patient = healthy().hears(silentState).staysOutOfStep().opens()
    const resets: number[] = []
    patient.untilAlarm(() => {
      if (patient.state.kind === 'resetting') resets.push(patient.atMs)
      if (patient.state.kind === 'starting') patient.hears(probing).hears(blockedBy('no-answer'))
      else if (patient.state.kind === 'resetting') patient.isTold()
      else patient.waitsItOut()
    })
    return { patient, resets }
  }

  test('the budget allows three resets, each after a longer pause, then raises an alarm with everything that was tried', () => {
    const { patient, resets } = incurable()
    const [first = 0, second = 0, third = 0] = resets
    expect(resets).toHaveLength(3)
    expect(second - first).toBe(2 * minute)
    expect(third - second).toBe(10 * minute)
    expect(patient.state).toMatchObject({ kind: 'alarm', cause: { kind: 'no-remedy' } })
    const cause = patient.asked.at(-1)
    expect(cause?.kind === 'raise-alarm' && cause.cause.kind === 'no-remedy' && cause.cause.words).toContain(
      'resynchronise, reopen, reset',
    )
  })

  test('does not reset a modem that answers again during the pause before the second reset', () => {
    const patient = resting()
    expect(patient.hears(probing).state.kind).toBe('resting')
    expect(patient.hears(identifying).state.kind).toBe('starting')
    expect(patient.hears(readyState).state.kind).toBe('healthy')
    expect(patient.asked.at(-1)).toMatchObject({ kind: 'healed', by: undefined })
  })

  test('tries gentler remedies when the modem answers during the pause before the second reset but cannot be set up', () => {
    const patient = resting()
    patient.asked = []
    patient.hears(probing).hears(identifying)
    expect(patient.hears(blockedBy('sim-busy')).lastAsked).toEqual(['set-up'])
    expect(patient.hears(probing).hears(identifying).hears(blockedBy('sim-busy')).lastAsked).toEqual(['restart-radio'])
    patient.hears(probing).hears(identifying).hears(blockedBy('sim-busy'))
    expect(patient.state.kind).toBe('resting')
  })

  test('the budget allows no reset during an alarm of any duration', () => {
    const { patient } = incurable()
    patient.asked = []
    for (let looks = 0; looks < 10_000; looks += 1) patient.waitsItOut()
    expect(new Set(patient.lastAsked)).toEqual(new Set(['set-up']))
    expect(patient.atMs).toBeGreaterThan(24 * hour)
  })

  test('the budget regains one reset per full hour of health', () => {
    const resetsLeftAfter = (ms: number) => {
      const { patient } = incurable()
      patient.getsReady().waits(ms).hears(silentState)
      return patient.state.budget.resetsLeft
    }
    expect(resetsLeftAfter(hour - 1)).toBe(0)
    expect(resetsLeftAfter(hour)).toBe(1)
    expect(resetsLeftAfter(2 * hour)).toBe(2)
    expect(resetsLeftAfter(100 * hour)).toBe(3)
  })

  test('skips the first remedies if the modem soon fails again', () => {
    const climbs = (healthyForMs: number): (Rung | undefined)[] => {
      const patient = healthy()
      return [0, 1, 2].map(() => {
        patient.waits(healthyForMs).hears(silentState)
        const rung = patient.state.kind === 'healthy' ? undefined : patient.state.outage.rung
        if (rung === 'resynchronise') patient.getsInStep()
        if (rung === 'reopen') patient.opens()
        if (rung === 'reset') patient.isTold().waitsItOut()
        patient.getsReady()
        return rung
      })
    }
    expect(climbs(limits.relapseMs - 1)).toEqual(['resynchronise', 'reopen', 'reset'])
    expect(climbs(limits.relapseMs)).toEqual(['resynchronise', 'resynchronise', 'resynchronise'])
  })
})

describe('an alarm', () => {
  test('an alarm ends when the modem works again, for any reason', () => {
    const gone = () => {
      const patient = healthy().hears(lostState).untilAlarm(looksInVain)
      patient.asked = []
      return patient
    }
    const plugged = gone().takes({ kind: 'device-appeared' })
    expect(plugged.opens().getsReady().lastAsked).toEqual(['open-port', 'set-up', 'clear-alarm', 'healed'])
    const looked = gone().waitsItOut()
    expect(looked.opens().getsReady().lastAsked).toEqual(['open-port', 'set-up', 'clear-alarm', 'healed'])
    const sim = new Patient().opens().hears(probing).hears(blockedBy('no-sim'))
    sim.asked = []
    // The modem is set up again and again without a request.
    expect(sim.getsReady().lastAsked).toEqual(['clear-alarm', 'healed'])
  })

  test('during an alarm, the modem is checked every half minute, and the alarm is not repeated without a change', () => {
    const patient = new Patient().untilAlarm(looksInVain)
    patient.asked = []
    const fromMs = patient.atMs
    for (let looks = 0; looks < 20; looks += 1) patient.waitsItOut().findsNoDevice()
    expect(new Set(patient.lastAsked)).toEqual(new Set(['open-port']))
    expect(patient.atMs - fromMs).toBe(20 * limits.alarmLookMs)
  })

  test('an alarm does not interrupt a setup that began for another reason, such as a PIN that was entered', () => {
    const patient = new Patient().opens().hears(probing).hears(blockedBy('pin-required'))
    patient.asked = []
    patient.hears(probing).hears(identifying)
    const fromMs = patient.atMs
    // If the setup hangs, the periodic check is made in spite of the setup.
    expect(patient.waitsItOut().lastAsked).toEqual(['set-up'])
    expect(patient.atMs - fromMs).toBe(limits.startLimitMs)
    expect(patient.hears(probing).hears(identifying).getsReady().state.kind).toBe('healthy')
  })

  test('an alarm is raised again when the cause changes', () => {
    const patient = new Patient().opens().hears(probing).hears(blockedBy('pin-required'))
    patient.asked = []
    patient.hears(probing).hears(identifying).hears(blockedBy('pin-required'))
    expect(patient.lastAsked).toEqual([])
    patient.hears(probing).hears(identifying).hears(blockedBy('puk-required'))
    expect(patient.asked).toMatchObject([{ kind: 'raise-alarm', cause: { failure: { reason: 'puk-required' } } }])
  })

  test('an alarm about a missing network ends when the network returns, not when the modem answers', () => {
    const patient = healthy().hears(unregistered).waitsItOut()
    patient.untilAlarm(() => {
      if (patient.state.kind === 'resetting') patient.isTold()
      if (patient.state.kind === 'starting') patient.hears(probing).hears(identifying).hears(registering)
      patient.waitsItOut()
    })
    expect(patient.hears(registering).state.kind).toBe('alarm')
    expect(patient.hears(readyState).state.kind).toBe('healthy')
  })
})
