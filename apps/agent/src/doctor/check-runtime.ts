import { type Finding, fail, ok } from './finding.ts'

/** What this program runs on. */
export async function checkRuntime(): Promise<readonly Finding[]> {
  const { version, platform, arch } = process
  const [major] = version.slice(1).split('.').map(Number)
  const node =
    (major ?? 0) >= leastNode
      ? ok('runtime', `Node ${version} on ${platform} ${arch}`)
      : fail(
          'runtime',
          `Node ${version} is too old`,
          `install Node ${leastNode} or newer, or start by npm, which brings it`,
        )
  return [node, await serialBinding()]
}

/** The one part that is made for each kind of machine. */
async function serialBinding(): Promise<Finding> {
  try {
    await import('../ports/serial-port.ts')
    return ok('serial ports', 'can be opened from here')
  } catch (error) {
    const [words = ''] = String(error instanceof Error ? error.message : error).split('\n')
    return fail('serial ports', `the library for them does not load (${words})`, 'install anew on this machine: npm ci')
  }
}

const leastNode = 24
