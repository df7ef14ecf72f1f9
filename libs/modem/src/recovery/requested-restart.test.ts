import { describe, expect, test } from 'vitest'
import { healthy, lostState, Patient, probing, unregistered } from '../testing/patient.ts'
import { defaultRecoveryOptions as limits } from './state.ts'

describe('a requested restart', () => {
  const requests = (patient: Patient) => {
    patient.asked = []
    return patient.takes({ kind: 'restart-requested' })
  }

  test('a requested restart resets a healthy modem at once, without using up an automatic reset', () => {
    const patient = requests(healthy())
    expect(patient.lastAsked).toEqual(['reset'])
    expect(patient.isTold().hears(lostState).opens().getsReady().lastAsked).toEqual(['open-port', 'set-up', 'healed'])
    expect(patient.state).toMatchObject({ kind: 'healthy', budget: { resetsLeft: limits.mostResets } })
  })

  test('a requested restart delays the next automatic reset', () => {
    const patient = requests(healthy()).isTold().hears(lostState).opens().hears(probing)
    const before = patient.atMs
    while (!patient.asked.some(({ kind }) => kind === 'reset') || patient.atMs === before) {
      patient.asked = []
      patient.waitsItOut()
    }
    expect(patient.atMs - before).toBeGreaterThanOrEqual(Math.min(...limits.resetPausesMs))
  })

  test('a requested restart resets a modem for which every automatic remedy was tried, and ends its alarm', () => {
    const patient = healthy()
      .hears(unregistered)
      .untilAlarm((each) => each.waitsItOut())
    expect(requests(patient).lastAsked).toEqual(['clear-alarm', 'reset'])
  })

  test('a requested restart has no effect during a reset', () => {
    const patient = requests(healthy())
    expect(requests(patient).asked).toEqual([])
    expect(requests(patient.isTold()).asked).toEqual([])
  })

  test('a requested restart opens the port of a missing modem at once', () => {
    expect(requests(new Patient().findsNoDevice()).lastAsked).toEqual(['open-port'])
  })
})
