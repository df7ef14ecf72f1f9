import { parseArgs } from 'node:util'
import { fuzzDecoders } from './fuzz-decoders.ts'

/** node libs/sms/fuzz/fuzz-pdus.ts --count 1000000 --seed 1 */
const { values } = parseArgs({
  options: { count: { type: 'string', default: '1000000' }, seed: { type: 'string', default: `${Date.now() % 1e9}` } },
})
const count = Number(values.count)
const seed = Number(values.seed)
if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
  print('usage: fuzz-pdus.ts [--count <inputs>] [--seed <whole number>]')
  process.exit(2)
}

print(`${count} inputs, seed ${seed}`)
const startMs = performance.now()
const onProgress = (inputs: number) => print(`${inputs} inputs, ${seconds()} s`)
const { inputs, failures, slowest } = fuzzDecoders({ count, seed, timed: true, onProgress })

for (const { decoder, input, problem } of failures) print(`\n${decoder}: ${problem}\n  ${input.slice(0, 2000)}`)
print(`${inputs} inputs with seed ${seed} in ${seconds()} s: ${failures.length} failures`)
print(`slowest: ${slowest.decoder}, ${slowest.ms.toFixed(2)} ms`)
process.exitCode = failures.length === 0 ? 0 : 1

function seconds(): string {
  return ((performance.now() - startMs) / 1000).toFixed(0)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
