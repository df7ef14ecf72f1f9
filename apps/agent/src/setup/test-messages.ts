/** Sends the test message of a setup and waits for the reply. */
export interface TestMessages {
  /** Returns why the message was not sent; undefined if the network has accepted it. */
  send(to: string, text: string): Promise<string | undefined>
  /**
   * Returns the text of the first message from this number that arrived after `send` began; undefined if none arrives
   * in time.
   */
  awaitReply(from: string, limitMs: number): Promise<string | undefined>
}
