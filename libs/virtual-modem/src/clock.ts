/** A monotonic clock for delays, and the wall clock for time stamps. */
export interface Clock {
  nowMs(): number
  epochMs(): number
  after(delayMs: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}
