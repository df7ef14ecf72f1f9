import type { Statements } from '../../store/database.ts'
import { claimNotifications } from '../claim-notifications-statement.ts'
import { insertNotifications } from '../insert-notifications-statement.ts'
import { notifyOffline } from '../notify-offline-statement.ts'
import { deleteEndedSubscriptions, readValidSubscriptions } from '../valid-subscriptions-statement.ts'

const now = new Date('2026-03-01T12:00:00.000Z')

async function subscribe(s: Statements): Promise<void> {
  await s.pushSubscription.create({
    data: {
      ...{ id: 'browser', accountId: 'account', endpointHash: '', endpointSealed: '', service: '', p256dh: '' },
      ...{ authSealed: '', language: 'en', showsText: true, createdAt: now },
      events: ['message.received', 'device.offline'],
    },
  })
}

/** Runs every statement of browser notifications at least once, for `statements.test.ts`. */
export const pushExamples: Readonly<Record<string, (statements: Statements) => Promise<unknown>>> = {
  'push/claim-notifications-statement.ts': async (s) => {
    await subscribe(s)
    const notification = { topic: 'topic', about: '+15550100', text: 'hello', subjectId: undefined, delayMs: 0 }
    await insertNotifications(s, 'account', [{ kind: 'message.received', ...notification }])
    await claimNotifications(s as never, 1)
  },
  'push/insert-notifications-statement.ts': (s) => insertNotifications(s, 'account', []),
  'push/notify-offline-statement.ts': (s) => notifyOffline(s, now),
  'push/valid-subscriptions-statement.ts': async (s) => {
    await subscribe(s)
    await readValidSubscriptions(s, ['browser'])
    await deleteEndedSubscriptions(s)
  },
}
