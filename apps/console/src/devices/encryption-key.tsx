import type { DeviceDetailAnswer } from '@smsgw/contract/devices/device'
import { fingerprintGroups } from '@smsgw/contract/devices/fingerprint-groups'
import { Fragment } from 'react'
import { useSignedIn } from '../session-context.ts'
import { Facts, Panel } from '../ui/page.tsx'
import { rich, t } from '../words/text.ts'

/** The public key of a device, with the fingerprint and command to check that the key belongs to this device. */
export function EncryptionKeyFacts({
  device: { publicKey, keyVersion, keyFingerprint, isPhone },
}: {
  readonly device: DeviceDetailAnswer
}) {
  const { mode } = useSignedIn()
  if (publicKey === undefined) return null
  return (
    <Panel title={t('device.key')}>
      <p className="quiet">{isPhone ? t('device.phoneKeyHelp') : rich('device.keyHelp', { mode })}</p>
      <Facts
        of={[
          [t('device.keyVersion'), keyVersion],
          [
            t('device.keyFingerprint'),
            keyFingerprint && (
              <code key="fingerprint" className="fingerprint" dir="ltr">
                <Groups of={fingerprintGroups(keyFingerprint)} />
              </code>
            ),
          ],
        ]}
      />
    </Panel>
  )
}

/** Lines break only after a colon, so that no group of digits is split. */
function Groups({ of }: { readonly of: string }) {
  return Array.from(of.matchAll(/[^:]+:?/g), ({ 0: group, index }) => (
    <Fragment key={index}>
      {group}
      <wbr />
    </Fragment>
  ))
}
