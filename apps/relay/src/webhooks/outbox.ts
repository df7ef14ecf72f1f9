/** What receivers are to be told is written in the transaction of what happened; behind it nothing has to be waited for. */
export interface Outbox {
  /** After the commit: there may be something to send. Nothing is lost without it, it only comes later. */
  wake(): void
}
