import { type BridgeProof, expectTexts, type ProofWorld } from './bridge-proof.ts'

const hostOf = ({ gateway }: ProofWorld) => new URL(gateway().url).host

/** Apprise, which sends through the APIs of SMSEagle and any JSON interface. */
export const appriseProof: BridgeProof = {
  subject: 'apprise',
  packages: ['apprise'],
  steps: [
    [
      'sends with smseagle://',
      async (world) => {
        const { key, number, texts } = await world.newRecipient()
        const { status, output } = apprise(
          world,
          ['-b', 'Disk full, ü €'],
          `smseagle://${key}@${hostOf(world)}/${number}`,
        )
        if (status !== 0) throw new Error(output)
        expectTexts(await texts(), ['Disk full, ü €'])
      },
    ],
    [
      'reports a number that the key may not send to',
      async (world) => {
        const { key, texts } = await world.newRecipient()
        const { status, output } = apprise(world, ['-b', 'hi'], `smseagle://${key}@${hostOf(world)}/+447400199999`)
        if (status === 0 || !output.includes('its recipients are limited')) throw new Error(`${status} ${output}`)
        expectTexts(await texts(), [])
      },
    ],
    [
      'reports a wrong key',
      async (world) => {
        const { number, texts } = await world.newRecipient()
        const { status, output } = apprise(world, ['-b', 'hi'], `smseagle://wrong@${hostOf(world)}/${number}`)
        if (status === 0 || !output.includes('Invalid access token')) throw new Error(`${status} ${output}`)
        expectTexts(await texts(), [])
      },
    ],
    [
      'sends with json://',
      async (world) => {
        const { key, number, texts } = await world.newRecipient()
        // `+` adds a header and `:` a member. Apprise does not read `+` as a space.
        const parameters = { '+X-API-Key': key, ':to': number, ':body': 'Disk full' }
        const query = Object.entries(parameters).map((pair) => pair.map(encodeURIComponent).join('='))
        const url = `json://${hostOf(world)}/api/v1/sms/send?${query.join('&')}`
        const { status, output } = apprise(world, ['-b', 'unused'], url)
        if (status !== 0) throw new Error(output)
        expectTexts(await texts(), ['Disk full'])
      },
    ],
  ],
}

function apprise({ programs }: ProofWorld, args: readonly string[], url: string) {
  return programs.run('apprise', ['-vv', ...args, url])
}
