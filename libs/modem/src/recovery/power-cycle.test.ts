import { describe, expect, test } from 'vitest'
import { blockedBy, healthy, looksInVain, lostState, Patient, probing, silentState } from '../testing/patient.ts'
import { nextRung } from './ladder.ts'
import { defaultRecoveryOptions as limits } from './state.ts'

const allowed = { mayPowerCycle: true }
const silentModem = { heard: false, mayPowerCycle: true, wasHealthy: true }

/** Advances the recovery by one step. The modem does not answer, whatever the driver tries. */
const failsToAnswer = (patient: Patient) => {
  switch (patient.state.kind) {
    case 'resynchronising':
      return patient.staysOutOfStep()
    case 'away':
      return patient.opens()
    case 'resetting':
      return patient.asked.at(-1)?.kind === 'power-cycle' ? patient.isSwitched() : patient.isTold()
    case 'starting':
      return patient.hears(probing).hears(blockedBy('no-answer'))
    default:
      return patient.waitsItOut()
  }
}

const drastic = ({ asked }: Patient) => asked.filter(({ kind }) => kind === 'reset' || kind === 'power-cycle')

describe('a power cycle', () => {
  test('a power cycle is never chosen without consent', () => {
    expect(nextRung(['resynchronise', 'reopen', 'reset'], { ...silentModem, mayPowerCycle: false })).toBe('reset')
    const patient = healthy().hears(silentState).untilAlarm(failsToAnswer)
    expect(drastic(patient).map(({ kind }) => kind)).toEqual(['reset', 'reset', 'reset'])
  })

  test('a power cycle precedes a reset if the modem has never answered, because it may be switched off', () => {
    expect(nextRung(['resynchronise', 'reopen'], silentModem)).toBe('reset')
    expect(nextRung(['resynchronise', 'reopen'], { ...silentModem, wasHealthy: false })).toBe('power-cycle')
    const patient = new Patient(allowed).untilAlarm(failsToAnswer)
    expect(drastic(patient).map(({ kind }) => kind)).toEqual(['power-cycle', 'power-cycle', 'power-cycle'])
  })

  test('a power cycle follows the first reset that did not help, and shares its budget and pauses', () => {
    const patient = healthy(allowed).hears(silentState)
    const atMs: number[] = []
    patient.untilAlarm((each) => {
      const before = drastic(each).length
      failsToAnswer(each)
      if (drastic(each).length > before) atMs.push(each.atMs)
    })
    expect(drastic(patient).map(({ kind }) => kind)).toEqual(['reset', 'power-cycle', 'power-cycle'])
    expect((atMs[1] ?? 0) - (atMs[0] ?? 0)).toBeGreaterThanOrEqual(limits.resetPausesMs[0] ?? 0)
    expect((atMs[2] ?? 0) - (atMs[1] ?? 0)).toBeGreaterThanOrEqual(limits.resetPausesMs[1] ?? 0)
    expect(patient.state).toMatchObject({ cause: { kind: 'no-remedy', words: expect.stringContaining('power-cycle') } })
  })

  test('a power cycle is named as the remedy that helped', () => {
    const patient = healthy(allowed).hears(silentState)
    for (let steps = 0; steps < 100 && patient.asked.at(-1)?.kind !== 'power-cycle'; steps += 1) failsToAnswer(patient)
    patient.isSwitched().hears(lostState).opens().getsReady()
    expect(patient.asked.at(-1)).toMatchObject({ kind: 'healed', by: 'power-cycle' })
    expect(patient.asked.at(-1)).toMatchObject({
      evidence: expect.arrayContaining([expect.objectContaining({ found: 'switched off and on' })]),
    })
  })

  test('a power cycle ends at its deadline if the tool hangs', () => {
    const patient = healthy(allowed).hears(silentState)
    for (let steps = 0; steps < 100 && patient.asked.at(-1)?.kind !== 'power-cycle'; steps += 1) failsToAnswer(patient)
    expect(patient.state.kind).toBe('resetting')
    expect(patient.waits(limits.resetLimitMs).state.kind).toBe('returning')
  })

  test('a power cycle is tried once if a device has disappeared from its socket, before the alarm', () => {
    const patient = healthy(allowed).hears(lostState)
    patient.asked = []
    patient.untilAlarm(looksInVain)
    expect(drastic(patient)).toHaveLength(1)
    expect(patient.asked.at(-1)).toMatchObject({ kind: 'raise-alarm', cause: { kind: 'gone' } })
  })

  test('a power cycle brings a device back that had disappeared', () => {
    const patient = healthy(allowed).hears(lostState)
    for (let looks = 0; looks < 100 && drastic(patient).length === 0; looks += 1) {
      if (patient.state.kind === 'away' && patient.state.doing === 'waiting') patient.waitsItOut()
      patient.findsNoDevice()
    }
    expect(patient.state).toMatchObject({ kind: 'away', doing: 'waiting' })
    patient.isSwitched().takes({ kind: 'device-appeared' }).opens().getsReady()
    expect(patient.asked.at(-1)).toMatchObject({ kind: 'healed', by: 'power-cycle' })
  })
})

test('a power cycle is tried at most once for a device that was never present', () => {
  const patient = new Patient(allowed).untilAlarm(looksInVain)
  expect(drastic(patient)).toHaveLength(1)
})
