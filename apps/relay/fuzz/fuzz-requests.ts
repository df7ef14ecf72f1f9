import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts'
import { withScratchFolder } from '../src/testing/scratch-folder.ts'
import { fuzzRelay } from './fuzz-relay.ts'
import { fuzzedRelay } from './fuzzed-relay.ts'

const { values } = parseArgs({
  options: { count: { type: 'string', default: '200000' }, seed: { type: 'string' } },
})
const count = Number(values.count)
const seed = Number(values.seed ?? randomInt(2 ** 31))
const print = (line: string) => process.stdout.write(`${line}\n`)
print(`${count} requests, --seed ${seed}`)

await withScratchFolder('fuzz', async (folder) => {
  const report = (line: string) => process.stderr.write(`PostgreSQL: ${line}\n`)
  const postgres = await startEmbeddedPostgres({ folder: join(folder.path, 'database'), report, durable: false })
  folder.endBefore(() => postgres.stop())
  const relay = await fuzzedRelay(postgres.url)
  folder.endBefore(() => relay.close())
  const started = performance.now()
  const result = await fuzzRelay({
    ...relay,
    count,
    seed,
    slowConnections: 20,
    onProgress: (sent) => print(`${sent} sent`),
    onFailure: (failure) => folder.isBrokenOff() || print(`FAILED ${failure}`),
  })
  const seconds = (performance.now() - started) / 1000
  print(`answers: ${JSON.stringify(result.statuses)}`)
  if (result.neverGood.size > 0) print(`operations without a successful request: ${[...result.neverGood].join(', ')}`)
  print(`${result.sent} requests in ${seconds.toFixed(0)} s, the slowest ${result.slowestMs.toFixed(0)} ms`)
  print(`${result.failures.length} failures, seed ${seed}`)
  if (result.failures.length > 0) process.exitCode = 1
})
