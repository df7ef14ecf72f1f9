// Takes the screenshot of the console in README.md and docs/index.md. Run it after a change of the conversation page:
//
//   node .repo/bootstrap.cjs node apps/e2e/shots/shoot-documentation.ts
import { resolve } from 'node:path'
import { ConsoleBrowser } from '../src/house/browser/console-browser.ts'
import { credentialsIn, Gateway } from '../src/house/gateway.ts'

const file = resolve(import.meta.dirname, '../../../docs/images/console-conversation.png')
const number = '+447400123456'

const gateway = await Gateway.start()
let browser: ConsoleBrowser | undefined
try {
  await gateway.untilReady()
  const { api } = gateway
  const deliver = async (to: string, text: string) => {
    const id = await api.send({ phoneNumbers: [to], textMessage: { text } })
    await api.until(id, ({ state }) => state === 'Delivered')
  }
  const receive = (from: string, text: string) => api.ask('POST', '/virtual-phone', { from, text })
  await deliver('+447400777888', 'Your code is 471 126. It is valid for ten minutes.')
  await deliver('+447400654321', 'Team lunch at noon, the usual place')
  await receive('+447400999888', 'Is the shop open on Sunday?')
  await deliver(number, 'Your table for four is ready at 19:30. See you soon!')
  await receive(number, 'Great, thanks! Could we have one by the window?')
  await deliver(number, 'Of course: table 12, by the window. The kitchen is open until 22:00.')
  await receive(number, 'Perfect.')
  const label = await api.ask('POST', '/labels', { name: 'Reservation', color: 'teal' })
  await api.ask('PATCH', `/conversations/${encodeURIComponent(number)}`, { addLabels: [label.json.id] })

  browser = await ConsoleBrowser.start(gateway.url, { needsWhole: true })
  const page = await browser.signedIn(credentialsIn(gateway.folder), { viewport: { width: 1_260, height: 720 } })
  await page.goto(`${gateway.url}/conversations/${encodeURIComponent(number)}`)
  await page.getByRole('article').getByText('Perfect.').waitFor()
  await page.locator('.waiting-lines').first().waitFor({ state: 'detached' })
  await page.getByLabel('Message', { exact: true }).fill('Looking forward to it – see you at “The Anchor”.')
  await page.waitForTimeout(500)
  await page.screenshot({ path: file, animations: 'disabled' })
} finally {
  await browser?.stop()
  await gateway.stop()
}
