import { expect } from 'vitest'
import type { Statements } from '../../store/database.ts'
import { claimPhoneMessages } from '../claim-phone-messages-statement.ts'
import { claimPushes } from '../fcm/claim-pushes-statement.ts'
import { findPhoneWork } from '../find-phone-work-statement.ts'
import { readPhoneMessages } from '../read-phone-messages-statement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const connection = { accountId: 'account', deviceId: 'device', connEpoch: 1, journalId: 'journal' }

/** Runs every statement of phones at least once, for `statements.test.ts`. */
export const phoneExamples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'mobile/claim-phone-messages-statement.ts': async (s) => {
    expect(await claimPhoneMessages(s, connection, 10, now)).toBe(1)
    expect(await claimPhoneMessages(s, connection, 10, now)).toBe(0)
  },
  'mobile/fcm/claim-pushes-statement.ts': async (s) => {
    const push = { tokenSealed: 'sealed', settingsVersion: 1, nextAttemptAt: now, noticedUntil: new Date(0) }
    await s.phonePush.create({ data: { deviceId: 'device', ...push } })
    expect(await claimPushes(s, 10, now)).toMatchObject([{ deviceId: 'device', hasMessages: true, attempts: 1 }])
    expect(await claimPushes(s, 10, now)).toEqual([])
  },
  'mobile/find-phone-work-statement.ts': async (s) => {
    expect(await findPhoneWork(s, ['device'], now)).toMatchObject([{ deviceId: 'device', hasMessages: true }])
  },
  'mobile/read-phone-messages-statement.ts': async (s) => {
    await claimPhoneMessages(s, connection, 10, now)
    expect(await readPhoneMessages(s, connection, 'lifo', 10)).toHaveLength(1)
  },
}
