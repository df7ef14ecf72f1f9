/** Time as the driver needs it. Monotonic: a corrected wall clock must never end a command. */
export interface Clock {
  nowMs(): number
  after(delayMs: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}
