import { expect, test } from 'vitest'
import { Cancellation } from './cancellation.ts'

test('notifies every listener once, late listeners at once, and no listener that was removed', () => {
  const cancellation = new Cancellation()
  const heard: string[] = []
  cancellation.onCancelled(() => void heard.push('first'))
  const stop = cancellation.onCancelled(() => void heard.push('stopped'))
  stop()
  expect(cancellation.cancelled).toBe(false)
  cancellation.cancel()
  cancellation.cancel()
  cancellation.onCancelled(() => void heard.push('late'))()
  expect(heard).toEqual(['first', 'late'])
  expect(cancellation.cancelled).toBe(true)
})
