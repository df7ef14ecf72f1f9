import type { AgentEffect } from './agent-state.ts'
import type { RelayEffect } from './relay-state.ts'

type SetTimer = Extract<AgentEffect & RelayEffect, { kind: 'set-timer' }>

/** An end that says nothing from the start is given up after this time. */
export const untilIntroduced: SetTimer = { kind: 'set-timer', timer: 'handshake', fromMs: 15_000, toMs: 15_000 }

/**
 * Once an agent has said who it is, both ends wait longer: when thousands come at once, as after the end of another relay,
 * they are let in one after the other, and those that would be sent away would only come again.
 */
export const untilAdmitted: SetTimer = { kind: 'set-timer', timer: 'handshake', fromMs: 45_000, toMs: 45_000 }
