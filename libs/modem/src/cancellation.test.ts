import { expect, test } from 'vitest'
import { Cancellation } from './cancellation.ts'

test('notifies each listener once, a listener added after the cancellation immediately, and a removed listener never', () => {
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
