import { execFileSync, spawnSync } from 'node:child_process'

/** The network of the database machines. This machine joins the network, so that its relays can reach the databases. */
export const BRIDGE = 'smsgw-ha'

const MACHINE = '198.51.100.11'

export function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/**
 * Creates the network, after removing what an interrupted run has left. Throws if its addresses belong to another
 * network.
 */
export function createNetwork(): void {
  removeNetwork()
  const route = execFileSync('ip', ['route', 'show', 'match', MACHINE], { encoding: 'utf8' })
  if (route.split('\n').some((line) => line !== '' && !line.startsWith('default')))
    throw new Error(`this machine already has a route to ${MACHINE}, which the test network uses: ${route}`)
  ip('link', 'add', BRIDGE, 'type', 'bridge')
  ip('addr', 'add', '198.51.100.1/24', 'dev', BRIDGE)
  ip('link', 'set', BRIDGE, 'up')
}

export function removeNetwork(): void {
  for (const at of [1, 2, 3]) {
    const name = `smsgw-db${at}`
    const { stdout } = spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' })
    for (const pid of stdout.split('\n').filter(Boolean)) spawnSync('kill', ['-KILL', pid])
    spawnSync('ip', ['netns', 'delete', name])
    spawnSync('ip', ['link', 'delete', `smsgw-cable${at}`])
  }
  spawnSync('ip', ['link', 'delete', BRIDGE])
}
