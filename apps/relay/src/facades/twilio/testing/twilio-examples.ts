import type { Statements } from '../../../store/database.ts'
import { deleteSent } from '../delete-sent-statement.ts'
import { findRecord, readAccepted, readRecords } from '../read-records-statement.ts'

/** Runs each statement of Twilio's interface, for `statements.test.ts`. */
export function twilioExamples(now: Date) {
  return {
    'facades/twilio/delete-sent-statement.ts': async (s: Statements) => {
      await s.message.updateMany({ data: { finishedAt: now } })
      await deleteSent(s, (await s.message.findFirstOrThrow()).key, 'm/0')
    },
    'facades/twilio/read-records-statement.ts': async (s: Statements) => {
      const all = { accountId: 'account', hasSent: true, hasReceived: true }
      const spans = { createdFrom: now, createdBefore: now, from: ['+44'] }
      await readRecords(s, all, { after: undefined, take: 1 })
      for (const source of [0, 1])
        for (const to of [undefined, ['+44']])
          await readRecords(
            s,
            { ...all, ...spans, to },
            { after: { createdAt: now, source, key: 9n, position: 0 }, take: 1 },
          )
      await findRecord(s, 'account', 'm/0', all)
      await readAccepted(s, 'account', 'm')
    },
  }
}
