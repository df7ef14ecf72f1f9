import type { CommandLine } from '@smsgw/daemon/command-line'
import { StartError } from '@smsgw/daemon/start-error'
import { printableJson } from '@smsgw/daemon/terminal/printable'
import type { Terminal } from '@smsgw/daemon/terminal/terminal'
import { choosePassword, printGenerated, ways } from '../../accounts/accounts-command.ts'
import { canonicalUsername, usernameProblem } from '../../accounts/username.ts'
import { readCells } from '../directory/directory.ts'
import { cancelMove, continueMove } from '../moves/move-account.ts'
import { type AccountMove, beginMove, findMove, type MoveStep, readMoves } from '../moves/move-records.ts'
import { addCell } from './add-cell.ts'
import { chooseCell, type PlaceDeps, placeAccount, unknownCell } from './place-account.ts'

export interface CellsCommandDeps extends Omit<PlaceDeps, 'cells'> {
  readonly terminal: Terminal
  /** The database of the cell that is added. */
  readonly databaseUrl: string | undefined
  readonly longestTokenSeconds: number
}

/** `npm run relay -- cells …` */
export async function cellsCommand(deps: CellsCommandDeps, line: CommandLine): Promise<void> {
  const command = commands.get(line.name)
  if (!command) throw new Error(`command ${line.name} has no implementation`)
  await command({ ...deps, cells: await readCells(deps.directory, deps.box) }, line)
}

type Deps = CellsCommandDeps & PlaceDeps

const commands = new Map<string, (deps: Deps, line: CommandLine) => Promise<void>>([
  ['cells add', add],
  ['cells list', list],
  ['cells place', place],
  ['cells move', move],
])

async function add(deps: Deps, { positionals, values }: CommandLine): Promise<void> {
  const [id = '', ...relays] = positionals
  const { databaseUrl, terminal } = deps
  if (databaseUrl === undefined) throw new StartError('DATABASE_URL is not set: set it to the database of the cell')
  const { isChanged, hasNewKeys, refused } = await addCell(deps, {
    ...{ id, databaseUrl, relays },
    isOpen: values['closed'] !== true,
  })
  terminal.print(`cell ${id} ${isChanged ? 'changed' : 'added'}; relays: ${relays.join(', ')}`)
  if (hasNewKeys) terminal.print('restart the relays of this cell, so that they use the push keys of the other cells')
  for (const { username } of refused)
    terminal.print(`account ${username} is not routed: another cell has an account with this name`)
}

async function list({ directory, cells, terminal }: Deps, { values }: CommandLine): Promise<void> {
  const { rows } = await directory.query<{ cell: string; accounts: number }>(
    'SELECT cell, count(*)::int AS accounts FROM accounts GROUP BY cell',
  )
  const accountsOf = new Map(rows.map(({ cell, accounts }) => [cell, accounts]))
  const moves = await readMoves(directory)
  const shown = cells.map(({ id, relays, isOpen }) => ({ id, relays, isOpen, accounts: accountsOf.get(id) ?? 0 }))
  if (values['json'])
    return terminal.print(
      printableJson({
        cells: shown,
        moves: moves.map(({ username, source, target, step }) => ({ username, source, target, step })),
      }),
    )
  if (shown.length === 0) return terminal.print('no cells yet: add one with `cells add <cell> <relay-url>`')
  const width = Math.max(...shown.map(({ id }) => id.length))
  for (const { id, relays, isOpen, accounts } of shown)
    terminal.print(
      `${id.padEnd(width)}  accounts: ${accounts}  ${isOpen ? 'open' : 'closed'}  relays: ${relays.join(', ')}`,
    )
  for (const { username, source, target, step } of moves)
    terminal.print(`${username} is moving from ${source} to ${target}; next step: ${step}`)
}

async function place(deps: Deps, { positionals, values }: CommandLine): Promise<void> {
  const username = canonicalUsername(positionals[0] ?? '')
  const problem = usernameProblem(username)
  if (problem !== undefined) throw new StartError(problem)
  const wanted = values['cell'] === undefined ? undefined : String(values['cell'])
  const cell = await chooseCell(deps, username, wanted)
  const chosen = await choosePassword(deps, username, ways(values))
  await placeAccount(deps, cell, { username, password: chosen.password })
  deps.terminal.print(`account ${username} created in the cell ${cell.id}`)
  printGenerated(deps, chosen)
}

async function move(deps: Deps, { positionals, values }: CommandLine): Promise<void> {
  const [name = '', target = ''] = positionals
  const username = canonicalUsername(name)
  const { directory, cells, terminal } = deps
  if (!cells.some(({ id }) => id === target)) throw unknownCell(target, cells)
  const withoutRouters = String(values['without-router'] ?? '')
    .split(',')
    .filter(Boolean)
  const options = {
    ...{ ...deps, withoutRouters },
    onStep: ({ step }: AccountMove) => terminal.print(STEP_TEXTS[step]),
    onWarning: (text: string) => terminal.print(`warning: ${text}`),
  }
  const begun = await findMove(directory, username)
  if (values['cancel'] === true) {
    if (begun === undefined) throw new StartError(`account ${username} is not moving`)
    const { source } = await cancelMove(options, begun)
    return terminal.print(`move cancelled; account ${username} stays in the cell ${source}`)
  }
  if (begun !== undefined && begun.target !== target)
    throw new StartError(`account ${username} is already moving to ${begun.target}: finish or cancel this move first`)
  const { drainedAt, switchedAt, rows } = await continueMove(options, begun ?? (await begin(deps, username, target)))
  const pause = drainedAt === null || switchedAt === null ? 0 : switchedAt.getTime() - drainedAt.getTime()
  terminal.print(
    `account ${username} moved to the cell ${target}; rows: ${rows}, pause: ${(pause / 1000).toFixed(1)} s`,
  )
}

async function begin({ directory, cells }: Deps, username: string, target: string): Promise<AccountMove> {
  const { rows } = await directory.query<{ id: string; cell: string }>(
    'SELECT id, cell FROM accounts WHERE username = $1',
    [username],
  )
  const [account] = rows
  if (account === undefined) throw new StartError(`the directory has no account ${username}`)
  if (account.cell === target) throw new StartError(`account ${username} is already in the cell ${target}`)
  if (!cells.some(({ id }) => id === account.cell)) throw unknownCell(account.cell, cells)
  return await beginMove(directory, { accountId: account.id, username, source: account.cell, target })
}

const STEP_TEXTS: Readonly<Record<MoveStep, string>> = {
  hold: 'pausing webhooks',
  drain: 'waiting for routers',
  fence: 'ending connections of agents',
  copy: 'copying rows',
  switch: 'switching to the new cell',
  clean: 'deleting rows in the old cell',
  finished: 'finished',
  cancelled: 'cancelled',
}
