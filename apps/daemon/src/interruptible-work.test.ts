import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { InterruptibleWork } from './interruptible-work.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('interrupts all work in progress, but no later work', async () => {
  const work = new InterruptibleWork()
  const endless = new Promise(() => undefined)
  const running = [work.during(endless), work.during(endless)]
  work.interrupt(new Error('lost'))
  const ended = await Promise.allSettled(running)
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await work.during(Promise.resolve('done'))).toBe('done')
})

test('keeps no result in memory', async () => {
  const work = new InterruptibleWork()
  const result = await (async () => new WeakRef(await work.during(Promise.resolve({ rows: [] }))))()
  await sleep(1)
  collectGarbage()
  expect(result.deref()).toBeUndefined()
  work.interrupt(new Error('lost'))
})
