import { Checkbox } from '@mantine/core'
import { explicitScopes, type Scope, scopes } from '@smsgw/contract/access/scopes'
import { t } from '../words/text.ts'

/**
 * The scopes of a token or a key. For a token, `all:any` includes all other scopes. For a key, it does not include the
 * scopes that must be named.
 */
export function ScopeChoices({
  chosen,
  onChange,
  ofKey = false,
  without = [],
}: {
  readonly chosen: readonly Scope[]
  readonly onChange: (chosen: readonly Scope[]) => void
  readonly ofKey?: boolean
  /** Scopes that have no effect here. */
  readonly without?: readonly Scope[]
}) {
  const isIncluded = (scope: Scope) =>
    scope !== 'all:any' && chosen.includes('all:any') && !(ofKey && explicitScopes.includes(scope))
  return (
    <fieldset className="choices">
      <legend>{t('tokens.scopes')}</legend>
      {scopes
        .filter((scope) => !without.includes(scope))
        .map((scope) => (
          <Checkbox
            key={scope}
            label={t(`scope.${scope}`)}
            description={<code dir="ltr">{scope}</code>}
            checked={isIncluded(scope) || chosen.includes(scope)}
            disabled={isIncluded(scope)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...chosen, scope] : chosen.filter((one) => one !== scope))
            }
          />
        ))}
    </fieldset>
  )
}

/** Returns the chosen scopes without the scopes that `all:any` includes. */
export function requestedScopes(chosen: readonly Scope[], ofKey = false): readonly Scope[] {
  if (!chosen.includes('all:any')) return chosen
  return ['all:any', ...(ofKey ? chosen.filter((scope) => explicitScopes.includes(scope)) : [])]
}
