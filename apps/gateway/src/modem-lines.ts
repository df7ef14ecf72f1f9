import type { AgentStatus } from '@smsgw/agent/status/agent-status'
import { asTyped } from '@smsgw/daemon/as-typed'

/** How each modem is, in a line for whoever has just started the gateway; without any, what to do. */
export function modemLines({ modems, unusable }: Pick<AgentStatus, 'modems' | 'unusable'>): readonly string[] {
  const lines = modems.map(({ simNumber, model, port, words, operator }) => {
    const sim = simNumber === undefined ? '' : `SIM ${simNumber} `
    const what = [model || 'a modem', port].filter(Boolean).join(' at ')
    return `${sim}${[words, operator].filter(Boolean).join(', ')} (${what})`
  })
  const all = [...lines, ...unusable]
  return all.length > 0 ? all : [`none is there: \`${asTyped('agent', 'doctor')}\` tells why`]
}

/** Nothing more is to come of it by waiting. On a slow machine the first look at a port takes a moment: until then it is absent. */
export function isSettled({ modems }: Pick<AgentStatus, 'modems'>): boolean {
  return modems.length > 0 && modems.every(({ state }) => !['absent', 'starting', 'searching'].includes(state ?? ''))
}
