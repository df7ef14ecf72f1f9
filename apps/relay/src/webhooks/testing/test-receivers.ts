import { type TestReceiver, type TestReceiverOptions, testReceiver } from './test-receiver.ts'

/** The receivers of one test, which end together. */
export function testReceivers() {
  const made: TestReceiver[] = []
  return {
    async start(answer?: TestReceiverOptions['answer'], options: TestReceiverOptions = {}): Promise<TestReceiver> {
      const receiver = await testReceiver({ ...options, ...(answer && { answer }) })
      made.push(receiver)
      return receiver
    },
    async close(): Promise<void> {
      for (const receiver of made.splice(0)) await receiver.close()
    },
  }
}

/** The ids of the received events, in order. */
export function idsOf({ requests }: TestReceiver): string[] {
  return requests.map(({ body }) => JSON.parse(body).id)
}
