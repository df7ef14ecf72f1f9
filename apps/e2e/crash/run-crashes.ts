// `npm run crash -- [--times <n>] [--only <label>] [--who agent|relay|data] [--houses <n>]` runs each crash point of
// agent and relay and each kind of damage to the data `--times` times, in `--houses` systems that run at the same time.
import { parseArgs } from 'node:util'
import { House } from '../src/house/house.ts'
import { runCrash } from './crash-run.ts'
import { disasters } from './disasters.ts'
import { crashPlaces } from './places.ts'

const { values } = parseArgs({
  options: {
    times: { type: 'string' },
    only: { type: 'string' },
    who: { type: 'string' },
    houses: { type: 'string' },
  },
})
const times = Number(values.times ?? 200)
// The longest run, with an older journal, comes first: at the end, all other systems would wait for it.
const everything = [
  ...Object.keys(disasters).map((label) => ({ who: 'data' as const, label, passes: times })),
  ...crashPlaces,
]
const chosen = everything.filter(({ who, label }) => (values.only ?? label) === label && (values.who ?? who) === who)
// Runs the crash points in rounds, so that a run that is stopped early has covered all crash points equally.
const waiting = Array.from({ length: times }, (_, time) =>
  chosen.map(({ who, label, passes }) => ({ who, label, pass: 1 + (time % passes) })),
).flat()
const totals = { runs: 0, killed: 0, lost: 0, twice: 0, inDoubt: 0, problems: 0 }

await Promise.all(Array.from({ length: Number(values.houses ?? 2) }, workThroughThem))
const { runs, killed, lost, twice, inDoubt } = totals
process.stdout.write(
  `${runs} runs, ${killed} killed: ${lost} lost, ${twice} sent twice, ${inDoubt} in doubt, ${totals.problems} problems\n`,
)
const isWell = lost + twice + totals.problems === 0 && killed === runs && runs > 0
process.stdout.write(`${isWell ? runs : 0} passed, ${isWell ? 0 : 1} failed, 0 skipped\n`)
process.exit(isWell ? 0 : 1)

async function workThroughThem(): Promise<void> {
  // Waiting times are shortened, but not skipped.
  const house = await House.start({
    agent: { IN_DOUBT_SECONDS: '6', IN_DOUBT_HOLD_SECONDS: '2' },
    relay: { SUBMIT_UNKNOWN_SECONDS: '60' },
  })
  try {
    for (let crash = waiting.shift(); crash !== undefined; crash = waiting.shift()) await one(house, crash)
  } finally {
    await house.stop()
  }
}

async function one(house: House, crash: (typeof waiting)[number]): Promise<void> {
  const number = totals.runs
  totals.runs += 1
  const report = await runOne(house, crash, number)
  totals.killed += report.crashed ? 1 : 0
  totals.lost += report.lost.length
  totals.twice += report.twice.length
  totals.inDoubt += report.inDoubt
  const problems = [...report.problems]
  if (report.inDoubt > mostInDoubt(crash)) problems.push(`not more than ${mostInDoubt(crash)} may be in doubt`)
  totals.problems += problems.length
  const said = [...report.lost.map((id) => `lost ${id}`), ...report.twice.map((id) => `sent twice ${id}`), ...problems]
  const words = `${report.crashed ? 'killed' : 'never passed'}, ${report.inDoubt} in doubt`
  process.stdout.write(
    `${crash.who} ${crash.label}:${crash.pass}  ${words}${said.map((line) => `\n  ${line}`).join('')}\n`,
  )
}

/**
 * Returns the largest number of messages in doubt. A modem submits one part at a time, but the RESULT of the previous
 * part may not be on disk yet. So if the agent is killed, at most two parts have a COMMIT without a RESULT: the current
 * part and the previous part. If the relay is killed, no message is in doubt. An older journal lacks all messages that
 * were sent after the copy was made.
 */
function mostInDoubt({ who, label }: (typeof waiting)[number]): number {
  if (label === 'journal replaced by an older copy') return Number.POSITIVE_INFINITY
  return who === 'agent' ? 2 : 0
}

async function runOne(
  house: House,
  { who, label, pass }: (typeof waiting)[number],
  number: number,
): Promise<Awaited<ReturnType<typeof runCrash>>> {
  if (who !== 'data') return await runCrash(house, { who, label, pass }, number)
  const disaster = disasters[label]
  if (disaster === undefined) throw new Error(`unknown disaster ${label}`)
  return { crashed: true, ...(await disaster(house, number)) }
}
