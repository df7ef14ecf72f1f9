import { describe, expect, test } from 'vitest'
import { DrivenModem } from '../testing/driven-modem.ts'
import { promisesSettled } from '../testing/manual-clock.ts'
import { dialogueInStep } from '../testing/scripted-dialogue.ts'
import { submission } from '../testing/scripted-submission.ts'
import type { Withdrawal } from './before-pdu.ts'

/** Starts a submission. Records when its hook ends, and its outcome. */
async function asked() {
  const all = await dialogueInStep()
  const notes: string[] = []
  let go: () => void = () => undefined
  const asking: { withdrawal: Withdrawal | undefined } = { withdrawal: undefined }
  const beforePdu = (withdrawal: Withdrawal) => {
    asking.withdrawal = withdrawal
    return new Promise<'go'>((resolve) => {
      go = () => {
        notes.push('about to be sent')
        resolve('go')
      }
    })
  }
  const outcome = all.dialogue.submit(submission({ beforePdu }))
  outcome.then((value) => notes.push(value.kind))
  all.modem.say('\r\n> ')
  await promisesSettled()
  return { ...all, notes, asking, outcome, go: () => go() }
}

describe('an outcome that arrives while the hook is still running', () => {
  test.each(['slow', 'restart', 'lost', 'error'])(
    'an outcome that arrives while the hook is still running is reported after the hook has ended: %s',
    async (cause) => {
      const { modem, clock, notes, asking, go } = await asked()
      expect(asking.withdrawal?.cancelled).toBe(false)
      if (cause === 'slow') await clock.advance(5_000)
      if (cause === 'restart') modem.say('\r\nRDY\r\n')
      if (cause === 'lost') modem.lose()
      if (cause === 'error') modem.say('\r\nERROR\r\n')
      await promisesSettled()
      expect(asking.withdrawal?.cancelled).toBe(true)
      expect(notes).toEqual([])
      go()
      await promisesSettled()
      expect(notes).toEqual(['about to be sent', cause === 'error' ? 'refused' : 'not-sent'])
      expect(modem.written.join('')).not.toContain('\x1a')
      expect(clock.pending).toBe(0)
    },
  )

  test('an outcome that arrives while the hook is still running waits only a limited time for a hook that hangs, and delays no command', async () => {
    const { dialogue, modem, clock, notes } = await asked()
    await clock.advance(5_000)
    modem.reply = () => '\r\nOK\r\n'
    expect(await dialogue.execute({ text: 'AT+CMGF=0', timeoutMs: 5_000 })).toMatchObject({ kind: 'ok' })
    await clock.advance(4_900)
    expect(notes).toEqual([])
    await clock.advance(100)
    expect(notes).toEqual(['not-sent'])
    expect(clock.pending).toBe(0)
  })
})

test('leaves no timer running after the hook has returned, and does not cancel the hook', async () => {
  const { modem, clock, asking, outcome, go } = await asked()
  go()
  await promisesSettled()
  expect(asking.withdrawal?.cancelled).toBe(false)
  modem.say('\r\n+CMGS: 3\r\n\r\nOK\r\n')
  expect(await outcome).toMatchObject({ kind: 'accepted' })
  expect(clock.pending).toBe(0)
})

test('shows the hook that the question was withdrawn, and is reported after the record of the hook', async () => {
  const driven = new DrivenModem()
  await driven.session()
  const notes: string[] = []
  let through: () => void = () => undefined
  const outcome = driven.submit('a', {
    beforePdu: async (withdrawal) => {
      await new Promise<void>((resolve) => (through = resolve))
      notes.push(withdrawal.cancelled ? 'withdrawn' : 'about to be sent')
      return 'go'
    },
    afterResult: (result) => void notes.push(result.kind),
  })
  await driven.pass(6_000)
  through()
  expect(await outcome).toEqual({ kind: 'not-sent', why: 'before-pdu-slow' })
  expect(notes).toEqual(['withdrawn', 'not-sent'])
})
