/** The driver's clock, which is monotonic, because a correction of the wall clock must never end a command. */
export interface Clock {
  nowMs(): number
  after(delayMs: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}
