/**
 * What the keys mean. States: watching, where a key is a command, and typing, where a line is collected for `purpose`
 * until Enter takes it or Esc drops it.
 */
export type KeyboardState =
  | { readonly mode: 'watching' }
  | { readonly mode: 'typing'; readonly purpose: 'message' | 'fault'; readonly text: string }

export type KeyEffect =
  | { readonly kind: 'quit' | 'next-modem' | 'toggle-plug' | 'reboot' }
  | { readonly kind: 'message' | 'fault'; readonly text: string }

export interface KeyResult {
  readonly state: KeyboardState
  readonly effect?: KeyEffect
}

/** `key`: one character, or a whole escape sequence of the terminal. */
export function pressKey(state: KeyboardState, key: string): KeyResult {
  if (key === CTRL_C) return { state, effect: { kind: 'quit' } }
  return state.mode === 'watching' ? command(key) : type(state, key)
}

/** Splits what a terminal delivers at once into keys. */
export function keysOf(input: string): string[] {
  const keys: string[] = []
  for (let rest = input; rest !== ''; rest = rest.slice(keys.at(-1)?.length)) {
    const sequence = rest.startsWith(ESC) ? SEQUENCE.exec(rest.slice(1))?.[0] : undefined
    keys.push(sequence === undefined ? String.fromCodePoint(rest.codePointAt(0) ?? 0) : ESC + sequence)
  }
  return keys
}

function command(key: string): KeyResult {
  const effect = COMMANDS[key]
  if (effect) return { state: watching, effect: { kind: effect } }
  const purpose = key === 'm' ? 'message' : key === 'f' ? 'fault' : undefined
  return { state: purpose ? { mode: 'typing', purpose, text: '' } : watching }
}

function type(state: Extract<KeyboardState, { mode: 'typing' }>, key: string): KeyResult {
  const { purpose, text } = state
  if (key === '\r' || key === '\n') return { state: watching, ...(text && { effect: { kind: purpose, text } }) }
  if (key === ESC) return { state: watching }
  if (key === '\x7f' || key === '\b') return { state: { ...state, text: [...text].slice(0, -1).join('') } }
  // Arrows and the like are not text.
  return { state: /^\p{C}/u.test(key) ? state : { ...state, text: text + key } }
}

export const watching: KeyboardState = { mode: 'watching' }

const CTRL_C = '\x03'
const ESC = '\x1b'
const COMMANDS: Readonly<Record<string, 'quit' | 'next-modem' | 'toggle-plug' | 'reboot'>> = {
  q: 'quit',
  '\t': 'next-modem',
  u: 'toggle-plug',
  r: 'reboot',
}
const SEQUENCE = /^[[O][0-9;]*[A-Za-z~]/
