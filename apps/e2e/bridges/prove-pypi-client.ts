import { join } from 'node:path'
import { House } from '../src/house/house.ts'
import { ROOT } from '../src/house/machine/process.ts'
import { Phone, PhoneDisk } from '../src/house/peers/phone.ts'
import type { BridgeProof, ProofWorld } from './bridge-proof.ts'

const SCRIPT = join(ROOT, 'apps/e2e/bridges/pypi-client.py')
/** A PNG of one pixel. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
)

/**
 * Proves that the Python client of SMS Gateway for Android works without changes with a relay that has modems and
 * phones.
 */
export const pypiClientProof: BridgeProof = {
  subject: 'pypi-client',
  packages: [],
  pypi: ['android-sms-gateway[requests,aiohttp,encryption]==4.3.3'],
  steps: [
    ['every method of the client works with requests', (world) => callEveryMethod(world, 'sync')],
    ['every method of the client works with aiohttp', (world) => callEveryMethod(world, 'async')],
  ],
}

async function callEveryMethod(world: ProofWorld, mode: 'sync' | 'async'): Promise<void> {
  const house = await House.start({ relay: { MIX_EMULATED_MODEMS: '1' } })
  world.onEnd(() => house.stop())
  const { id, token } = await Phone.register(house.relayUrl, house.user, 'Pixel', { capabilities: ['mms'] })
  const disk = new PhoneDisk()
  const phone = new Phone({ url: house.relayUrl, token, disk })
  world.onEnd(async () => phone.kill())
  const idle = await Phone.register(house.relayUrl, house.user, 'In a drawer')
  const attachments = [{ partId: 7, contentType: 'image/png', name: 'dot.png', data: PICTURE.toString('base64') }]
  const received = { id: 'mms', type: 'MMS_DOWNLOADED', sender: '+447400100009', simNumber: 1, content: 'Look!' }
  await phone.upload([{ ...received, isEncrypted: false, createdAt: new Date().toISOString(), attachments }])
  const client = world.python.start(`client ${mode}`, SCRIPT, [mode], {
    API_URL: `${house.relayUrl}/3rdparty/v1`,
    API_USERNAME: house.user.username,
    API_PASSWORD: house.user.password,
    PHONE_ID: id,
    IDLE_PHONE_ID: idle.id,
    PICTURE: PICTURE.toString('hex'),
    PICTURE_BASE64: PICTURE.toString('base64'),
  })
  const status = await client.ended()
  if (status !== 0) throw new Error(`the client ended with ${status}: ${client.complaints}`)
  const mms = [...disk.mms.values()].map(({ subject, text }) => [subject, text])
  const [clear, hidden] = mms
  if (mms.length !== 2 || clear?.join() !== `Hello,Python ${mode}`) throw new Error(JSON.stringify(mms))
  if (!hidden?.every((value) => value?.startsWith('$aes-256-cbc/pbkdf2-sha1$'))) throw new Error(JSON.stringify(hidden))
}
