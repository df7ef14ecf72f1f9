import { afterEach, expect, test, vi } from 'vitest'
import { testMessage } from '../testing/new-message.ts'
import type { AcceptOutcome, NewMessage } from './accept-messages.ts'
import { groupAccepts } from './group-accepts.ts'

const accepted: AcceptOutcome = { kind: 'accepted' }

/** A store whose transactions end when the test lets them end. */
function slowStore(isAboutOne = true) {
  const groups: { readonly ids: readonly string[]; commit(): Promise<void>; fail(): Promise<void> }[] = []
  const accept = groupAccepts({
    isAboutOne: () => isAboutOne,
    accept(messages: readonly NewMessage[]) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly AcceptOutcome[]>()
      groups.push({
        ids: messages.map(({ id }) => id),
        commit: () => {
          resolve(messages.map(() => accepted))
          return turn()
        },
        fail: () => {
          reject(new Error('refused'))
          return turn()
        },
      })
      return promise
    },
  })
  return {
    accept,
    groups,
    ids: () => groups.map(({ ids }) => ids),
  }
}

/** Waits for two iterations of the event loop, because work may continue in the second one. */
async function turn(): Promise<void> {
  for (let index = 0; index < 2; index++) await new Promise<void>((done) => setImmediate(done))
}

afterEach(() => {
  vi.useRealTimers()
})

const keyed = (id: string, key: string) => testMessage(id, { idempotency: { key, fingerprint: Uint8Array.of(1) } })

test('stores a single message without waiting for others', async () => {
  const { accept, ids } = slowStore()
  void accept(testMessage('a'))
  await turn()
  expect(ids()).toEqual([['a']])
})

test('groups messages that arrive together', async () => {
  const { accept, ids } = slowStore()
  for (const id of ['a', 'b']) void accept(testMessage(id))
  await turn()
  expect(ids()).toEqual([['a', 'b']])
})

test('groups messages that arrived while a group was being stored', async () => {
  const { accept, groups, ids } = slowStore()
  void accept(testMessage('first'))
  await turn()
  const outcomes: Promise<AcceptOutcome>[] = []
  for (const id of ['a', 'b', 'c']) {
    outcomes.push(accept(testMessage(id)))
    await turn()
  }
  expect(ids()).toEqual([['first']])
  await groups[0]?.commit()
  expect(ids()).toEqual([['first'], ['a', 'b', 'c']])
  await groups[1]?.commit()
  expect(await Promise.all(outcomes)).toEqual([accepted, accepted, accepted])
  void accept(testMessage('after a pause'))
  await turn()
  expect(ids().at(-1)).toEqual(['after a pause'])
})

test('never groups two messages with the same id or key, unless they belong to different accounts', async () => {
  const { accept, groups, ids } = slowStore()
  for (const message of [
    keyed('a', 'k'),
    keyed('b', 'k'),
    testMessage('c'),
    testMessage('c'),
    testMessage('c', { accountId: 'other' }),
  ])
    void accept(message)
  await turn()
  await groups[0]?.commit()
  expect(ids()).toEqual([
    ['a', 'c', 'c'],
    ['b', 'c'],
  ])
})

test('tries each message separately when a group fails, so that only the invalid message fails', async () => {
  const { accept, groups, ids } = slowStore()
  const [good, bad, late] = ['good', 'bad', 'late'].map((id) => accept(testMessage(id)))
  await turn()
  await groups[0]?.fail()
  expect(ids().slice(1)).toEqual([['good'], ['bad'], ['late']])
  for (const index of [1, 3]) await groups[index]?.commit()
  expect(await good).toBe(accepted)
  expect(await late).toBe(accepted)
  const refused = expect(bad).rejects.toThrow('refused')
  await groups[2]?.fail()
  await refused
})

test('does not delay the next group while messages are tried separately', async () => {
  const { accept, groups, ids } = slowStore()
  const slow = accept(testMessage('slow'))
  await turn()
  await groups[0]?.fail()
  expect(ids()).toEqual([['slow'], ['slow']])
  void accept(testMessage('next'))
  await turn()
  expect(ids().at(-1)).toEqual(['next'])
  await groups[1]?.commit()
  expect(await slow).toBe(accepted)
})

test('fails a whole group when the database is unavailable, and continues with the next group', async () => {
  const { accept, groups, ids } = slowStore(false)
  const outcomes = Promise.allSettled(['a', 'b'].map((id) => accept(testMessage(id))))
  await turn()
  await groups[0]?.fail()
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  void accept(testMessage('next'))
  await turn()
  expect(ids()).toEqual([['a', 'b'], ['next']])
})

test('continues without a group that hangs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { accept, groups, ids } = slowStore()
  const hanging = accept(testMessage('hanging'))
  await turn()
  void accept(testMessage('next'))
  await vi.advanceTimersByTimeAsync(1_999)
  await turn()
  expect(ids()).toEqual([['hanging']])
  await vi.advanceTimersByTimeAsync(1)
  await turn()
  expect(ids()).toEqual([['hanging'], ['next']])
  await groups[0]?.commit()
  expect(await hanging).toBe(accepted)
})

test('splits a group that is too large for one statement, without losing a message', async () => {
  const { accept, groups, ids } = slowStore()
  const recipients = Array.from({ length: 100 }, (_, index) => ({ cmdId: `${index}`, phoneNumber: '+49' }))
  for (let index = 0; index < 25; index++) void accept(testMessage(`m${index}`, { recipients }))
  await turn()
  for (let index = 0; index < groups.length; index++) await groups[index]?.commit()
  expect(ids().flat()).toEqual(Array.from({ length: 25 }, (_, index) => `m${index}`))
  expect(Math.max(...ids().map(({ length }) => length))).toBeLessThan(11)
})

test('stores a message separately that is too large for any group', async () => {
  const { accept, ids } = slowStore()
  void accept(testMessage('huge', { content: { kind: 'data', data: 'A'.repeat(2_000_000), port: 1 } }))
  void accept(testMessage('small'))
  await turn()
  expect(ids()).toEqual([['huge']])
})

test('refuses messages that it cannot store in time', async () => {
  const { accept } = slowStore()
  for (let index = 0; index < 10_000; index++) void accept(testMessage(`m${index}`))
  await expect(accept(testMessage('one more'))).rejects.toMatchObject({ status: 503 })
})
