/** The labels of the crash points, in the order in which a message passes them in the agent and in the relay. */
const labels = [
  // Agent
  'command-arrived',
  'command-journaled',
  'cancel-arrived',
  'before-commit',
  'after-commit',
  'pdu-written',
  'result-read',
  'result-journaled',
  'doubt-journaled',
  'report-arrived',
  'report-journaled',
  'inbound-read',
  'inbound-journaled',
  'inbound-deleted',
  'events-read',
  'events-sent',
  // Both
  'events-acknowledged',
  // Relay
  'message-committed',
  'connection-opened',
  'commands-claimed',
  'command-sent',
  'commands-taken',
  'events-arrived',
  'events-committed',
] as const

export type CrashLabel = (typeof labels)[number]

let armed: { readonly label: CrashLabel; passesLeft: number } | undefined

/**
 * Marks a step at which a test can kill the process, as a power cut would. Does nothing unless armed by
 * `armCrashPoint`.
 */
export function crashPoint(label: CrashLabel): void {
  if (armed?.label !== label) return
  armed.passesLeft -= 1
  if (armed.passesLeft === 0) process.kill(process.pid, 'SIGKILL')
}

/** Like `crashPoint`, for a step that takes time to recognise: `isStep` is called only if this crash point is armed. */
export function crashPointIf(label: CrashLabel, isStep: () => boolean): void {
  if (armed?.label === label && isStep()) crashPoint(label)
}

/** Arms `after-commit`, or `after-commit:3` for the third pass. An undefined or empty `target` arms no crash point. */
export function armCrashPoint(target: string | undefined): void {
  if (!target) return
  const [name, passes = '1'] = target.split(':')
  const label = labels.find((each) => each === name)
  if (label === undefined) throw new Error(`SMSGW_CRASH_AT: unknown crash point ${name}. Known: ${labels.join(', ')}`)
  armed = { label, passesLeft: Number(passes) }
}
