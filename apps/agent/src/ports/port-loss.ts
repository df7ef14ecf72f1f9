/** Reports once that a port was lost, and why. A listener that is added after the loss is called at once. */
export class PortLoss {
  private reason: string | undefined
  private readonly listeners: ((reason: string) => void)[] = []

  report(reason: string): void {
    if (this.reason !== undefined) return
    this.reason = reason
    for (const listener of this.listeners) listener(reason)
  }

  onReport(listener: (reason: string) => void): void {
    if (this.reason === undefined) this.listeners.push(listener)
    else listener(this.reason)
  }
}
