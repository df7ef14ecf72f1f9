/**
 * What an agent signs with its Ed25519 key, and what its relay verifies: bound to this purpose, to the nonce of this
 * connection and to all that is claimed, so that a signature serves for nothing else.
 */
export function signedText(claim: SignedClaim): string {
  const lines =
    claim.purpose === 'hello' ? [claim.deviceId, claim.journalId, claim.bootId] : [claim.credential, claim.publicKey]
  return ['smsgw.v1', claim.purpose, claim.relayId, claim.nonce, ...lines].map(quote).join('\n')
}

export type SignedClaim = { readonly relayId: string; readonly nonce: string } & (
  | { readonly purpose: 'hello'; readonly deviceId: string; readonly journalId: string; readonly bootId: string }
  | { readonly purpose: 'pair'; readonly credential: string; readonly publicKey: string }
)

/** A line break inside a claim must not look like the end of it. */
function quote(line: string): string {
  return JSON.stringify(line)
}
