// `npm run crash -- [--times <n>] [--only <label>] [--who agent|relay]`: each labelled place in agent and relay, so many times each.
import { parseArgs } from 'node:util'
import { House } from '../src/house/house.ts'
import { type Crash, CrashRun } from './crash-run.ts'
import { places } from './places.ts'

const { values } = parseArgs({
  options: { times: { type: 'string' }, only: { type: 'string' }, who: { type: 'string' } },
})
const times = Number(values.times ?? 3)
// Windows are shortened, never skipped.
const house = await House.start({ agent: { IN_DOUBT_SECONDS: '6', IN_DOUBT_HOLD_SECONDS: '2' } })
const totals = { runs: 0, crashes: 0, lost: 0, twice: 0, inDoubt: 0, problems: 0 }
try {
  for (const place of places.filter(isWanted)) {
    for (let time = 1; time <= times; time += 1) await one({ ...place, pass: time })
  }
} finally {
  await house.stop()
}
process.stdout.write(`${JSON.stringify(totals)}\n`)
process.exit(totals.lost + totals.twice + totals.problems === 0 && totals.crashes > 0 ? 0 : 1)

function isWanted({ who, label }: Omit<Crash, 'pass'>): boolean {
  return (values.only ?? label) === label && (values.who ?? who) === who
}

async function one(crash: Crash): Promise<void> {
  const number = totals.runs
  totals.runs += 1
  const { crashed, lost, twice, inDoubt, problems } = await new CrashRun(house, crash, number).run()
  totals.crashes += crashed ? 1 : 0
  totals.lost += lost.length
  totals.twice += twice.length
  totals.inDoubt += inDoubt
  totals.problems += problems.length
  const said = [...lost.map((id) => `lost ${id}`), ...twice.map((id) => `sent twice ${id}`), ...problems]
  const words = `${crashed ? 'killed' : 'never passed'}, ${inDoubt} in doubt`
  process.stdout.write(
    `${crash.who} ${crash.label}:${crash.pass}  ${words}${said.map((line) => `\n  ${line}`).join('')}\n`,
  )
}
