const words: Readonly<Record<string, string>> = {
  ready: 'ready',
  absent: 'no SIM in the slot',
  locked: 'locked: it needs its PIN',
  puk: 'blocked: it needs its PUK',
  searching: 'looking for a network',
  denied: 'refused by the network',
  failed: 'not usable',
}

/** A newer agent may know states that have no words here yet. */
export function simStateWords(state: string): string {
  return words[state] ?? state
}
