/** The topics of one bridge, below its prefix. */
export interface Topics {
  readonly prefix: string
  /** The topic that contains `online` while the bridge is connected to the broker. */
  readonly availability: string
  /** The topic that contains `online` while the bridge receives the events of the account. */
  readonly account: string
  /** The topic for commands to send a message. */
  readonly send: string
  /** The topic of the API's answer to each command. */
  readonly result: string
  /** The topic of received messages. */
  readonly received: string
  /** The topic of the states of messages that were sent by commands. */
  readonly status: string
  readonly device: (id: string) => string
}

export function topicsBelow(prefix: string): Topics {
  return {
    prefix,
    availability: `${prefix}/availability`,
    account: `${prefix}/account`,
    send: `${prefix}/send`,
    result: `${prefix}/result`,
    received: `${prefix}/received`,
    status: `${prefix}/status`,
    device: (id) => `${prefix}/device/${id}/state`,
  }
}

/**
 * Returns true if a result may be published to the topic that the sender of a command has chosen. The bridge publishes
 * with its own rights, so only topics below its prefix are allowed, except the topics that the bridge itself uses.
 */
export function isResponseTopic(topic: string, { prefix, ...own }: Topics): boolean {
  return (
    topic.startsWith(`${prefix}/`) &&
    !/[+#\0]/.test(topic) &&
    !topic.startsWith(`${prefix}/device/`) &&
    !Object.values(own).includes(topic)
  )
}
