// Measures the gateway as a user starts it: the time until it is usable at the first and a later start, and its memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { Gateway, newFolder } from '../src/house/gateway.ts'
import { gatewayMemory } from '../src/house/machine/memory.ts'

const folder = newFolder()
const print = (line: string) => process.stdout.write(`${line}\n`)
const again: number[] = []
let gateway = await started('first start of the gateway, with its database being made')
for (let round = 0; round < 5; round += 1) {
  await gateway.process.kill()
  const beganAt = performance.now()
  gateway = await Gateway.start({}, { folder })
  again.push(performance.now() - beganAt)
}
again.sort((one, other) => one - other)
print(`start after kill -9, median of 5: ${(again[2] ?? 0).toFixed(0)} ms`)
await gateway.untilReady()
// Waits, because garbage from the start is collected only some seconds later.
await sleep(15_000)
const { ownMiB, databaseMiB } = gatewayMemory(gateway.process.pid)
print(`memory of the gateway at rest: ${ownMiB} MiB, and its PostgreSQL ${databaseMiB} MiB (aim: 250 MiB together)`)
await gateway.stop()

async function started(name: string): Promise<Gateway> {
  const beganAt = performance.now()
  const found = await Gateway.start({}, { folder })
  print(`${name}: ${(performance.now() - beganAt).toFixed(0)} ms`)
  return found
}
