import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedPostgres } from '../src/store/embedded/embedded-postgres.ts'
import { fuzzRelay } from './fuzz-relay.ts'
import { fuzzedRelay } from './fuzzed-relay.ts'

const { values } = parseArgs({
  options: { count: { type: 'string', default: '200000' }, seed: { type: 'string' } },
})
const count = Number(values.count)
const seed = Number(values.seed ?? randomInt(2 ** 31))
const print = (line: string) => process.stdout.write(`${line}\n`)
print(`${count} requests, --seed ${seed}`)

const folder = mkdtempSync(join(tmpdir(), 'smsgw-fuzz-'))
const report = (line: string) => process.stderr.write(`PostgreSQL: ${line}\n`)
const postgres = await startEmbeddedPostgres({ folder: join(folder, 'database'), report, durable: false })
try {
  const relay = await fuzzedRelay(postgres.url)
  const started = performance.now()
  const result = await fuzzRelay({
    ...relay,
    count,
    seed,
    slowConnections: 20,
    onProgress: (sent) => print(`${sent} sent`),
    onFailure: (failure) => print(`FAILED ${failure}`),
  })
  await relay.close()
  const seconds = (performance.now() - started) / 1000
  print(`answers: ${JSON.stringify(result.statuses)}`)
  if (result.neverGood.size > 0) print(`never with success: ${[...result.neverGood].join(', ')}`)
  print(`${result.sent} requests in ${seconds.toFixed(0)} s, the slowest ${result.slowestMs.toFixed(0)} ms`)
  print(`${result.failures.length} failures, seed ${seed}`)
  if (result.failures.length > 0) process.exitCode = 1
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
