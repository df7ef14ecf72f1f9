/** What a modem and its network need of time. Monotonic for delays, the wall clock for time stamps. */
export interface Clock {
  nowMs(): number
  epochMs(): number
  after(delayMs: number, run: () => void): Timer
}

export interface Timer {
  cancel(): void
}
