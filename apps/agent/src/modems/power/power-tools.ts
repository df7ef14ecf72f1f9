import { execFile } from 'node:child_process'
import { childEnvironment } from '@smsgw/daemon/child-environment'
import type { GpioLine, PowerSwitch } from './power-setting.ts'

/** Switches a modem off and on. Returns a description of the action, or why the action failed. */
export async function powerCycle(how: PowerSwitch): Promise<string> {
  return how.kind === 'gpio' ? await pulse(how.line) : await switchSocket(how.location, how.port)
}

/**
 * Returns the command that switches a modem off and on. Undefined if its tool is not installed, or if the hub cannot
 * switch its sockets.
 */
export async function powerCycleCommand(how: PowerSwitch): Promise<readonly string[] | undefined> {
  if (how.kind === 'hub') {
    const hubs = await switchableHubs()
    return hubs?.includes(how.location) ? ['uhubctl', ...socketArguments(how.location, how.port)] : undefined
  }
  const version = await gpioToolVersion()
  return version && ['gpioset', ...pulseArguments(version, how.line)]
}

/** The version of libgpiod's tools: 1 and 2 have different options. Undefined if they are not installed. */
export async function gpioToolVersion(): Promise<1 | 2 | undefined> {
  const { output, problem } = await run('gpioset', ['--version'])
  if (problem !== undefined) return undefined
  return /\bv?1\.\d/.test(output) ? 1 : 2
}

/** The hubs whose sockets can be switched, as uhubctl names them. Undefined if uhubctl is not installed. */
export async function switchableHubs(): Promise<readonly string[] | undefined> {
  const { output, problem, isMissing } = await run('uhubctl', [])
  if (isMissing) return undefined
  if (problem !== undefined) return []
  return [...output.matchAll(/^Current status for hub (\S+)/gm)].map(([, hub = '']) => hub)
}

async function pulse(line: GpioLine): Promise<string> {
  const version = await gpioToolVersion()
  if (version === undefined) return gpioMissing
  const { problem } = await run('gpioset', pulseArguments(version, line), line.pulseMs)
  const where = `line ${line.line} of ${line.chip}`
  return problem === undefined
    ? `${where} was switched for ${line.pulseMs} ms`
    : `${where} was not switched: ${problem}`
}

function pulseArguments(version: 1 | 2, { chip, line, activeLow, pulseMs }: GpioLine): readonly string[] {
  const low = activeLow ? ['--active-low'] : []
  // With version 2, the list of periods must end with 0. Otherwise, gpioset holds the line until it is stopped.
  if (version === 2) return [...low, '--chip', chip, '--toggle', `${pulseMs}ms,0`, `${line}=1`]
  const seconds = Math.floor(pulseMs / 1000)
  const time = ['--mode=time', `--sec=${seconds}`, `--usec=${(pulseMs - seconds * 1000) * 1000}`]
  return [...low, ...time, chip, `${line}=1`]
}

async function switchSocket(location: string, port: string): Promise<string> {
  const { problem, isMissing } = await run('uhubctl', socketArguments(location, port), offSeconds * 1000)
  if (isMissing) return uhubctlMissing
  const where = `port ${port} of USB hub ${location}`
  return problem === undefined ? `${where} was off for ${offSeconds} s` : `${where} was not switched: ${problem}`
}

function socketArguments(location: string, port: string): readonly string[] {
  return ['--location', location, '--ports', port, '--action', 'cycle', '--delay', String(offSeconds)]
}

export const gpioMissing = 'gpioset is not installed: sudo apt install gpiod'
export const uhubctlMissing = 'uhubctl is not installed: sudo apt install uhubctl'

/** Long enough to discharge the capacitors of a modem. */
const offSeconds = 5
const usualLimitMs = 20_000

interface ToolResult {
  readonly output: string
  readonly problem: string | undefined
  readonly isMissing: boolean
}

function run(program: string, args: readonly string[], takesMs = 0): Promise<ToolResult> {
  const environment = childEnvironment()
  // Debian installs uhubctl in a folder that is not in the path of every user.
  const env = { ...environment, PATH: `${environment['PATH'] ?? ''}:/usr/sbin:/sbin` }
  return new Promise((resolve) => {
    execFile(program, args, { env, timeout: usualLimitMs + takesMs, encoding: 'utf8' }, (error, stdout, stderr) => {
      const isMissing = error !== null && 'code' in error && error.code === 'ENOENT'
      resolve({
        output: `${stdout}${stderr}`,
        problem: error === null ? undefined : problemIn(error, stdout, stderr),
        isMissing,
      })
    })
  })
}

/** Returns the first line of output in which the tool describes its failure. */
function problemIn(error: Error & { readonly killed?: boolean }, stdout: string, stderr: string): string {
  if (error.killed) return 'the tool did not finish in time'
  const [first] = `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() !== '')
  return first?.trim().slice(0, 200) ?? error.message
}
