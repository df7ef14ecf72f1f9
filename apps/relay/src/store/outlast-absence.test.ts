import { StartError } from '@smsgw/daemon/start-error'
import { expect, test } from 'vitest'
import { outlastAbsence } from './outlast-absence.ts'

const away = () => Object.assign(new Error('terminating connection'), { code: '57P01' })

test('a database that goes away in the middle of a start is waited for, also where that is told as a problem of its own', async () => {
  const failures = [away(), new StartError('the database cannot be prepared', { cause: away() })]
  const told: string[] = []
  const start = async () => {
    const failure = failures.shift()
    if (failure) throw failure
    return 'started'
  }
  expect(await outlastAbsence(start, { waitMs: 30_000, report: (line) => told.push(line) })).toBe('started')
  expect(told).toHaveLength(2)
})

test('it is not waited for longer than was asked for', async () => {
  const started = outlastAbsence(() => Promise.reject(away()), { waitMs: 0, report: () => undefined })
  await expect(started).rejects.toThrow(StartError)
})

test('whatever else is wrong is told at once', async () => {
  const wrong = new StartError('SERVER_SECRET is not the one')
  const started = outlastAbsence(() => Promise.reject(wrong), { waitMs: 30_000, report: () => expect.unreachable() })
  await expect(started).rejects.toBe(wrong)
})
