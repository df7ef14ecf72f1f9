import { useMantineColorScheme } from '@mantine/core'
import { useMemo } from 'react'
import { useLocation } from 'wouter'
import { isSignedOut, useSignOut } from '../api/session.ts'
import { showToast } from '../ui/toasts.tsx'
import { languages, storeLanguage } from '../words/language.ts'
import { locale, t } from '../words/text.ts'
import type { NamedAction } from './keyboard/page-actions.ts'

/** The actions of the account menu, which the command palette offers as well, in groups. */
export function useAccountActions(onHelp: () => void): readonly (readonly NamedAction[])[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { mutate: signOut } = useSignOut()
  const [, goTo] = useLocation()
  return useMemo(
    () => [
      [
        { name: t('password.change'), icon: 'access', run: () => goTo('/access') },
        { name: t('keyboard.title'), icon: 'keys', run: onHelp },
      ],
      (['light', 'dark', 'auto'] as const).map((scheme) => ({
        name: t(`theme.${scheme}`),
        icon: scheme === 'auto' ? 'systemScheme' : scheme,
        isChosen: colorScheme === scheme,
        run: () => setColorScheme(scheme),
      })),
      languages.map(({ code, name }) => ({
        name,
        icon: 'language',
        lang: code,
        isChosen: locale().language === code,
        run: () => {
          storeLanguage(code)
          location.reload()
        },
      })),
      [
        {
          name: t('account.signOut'),
          icon: 'leave',
          run: () => signOut(undefined, { onError: showFailure }),
        },
      ],
    ],
    [colorScheme, setColorScheme, signOut, goTo, onHelp],
  )
}

/** A session that has expired is a sign-out as well, because the page then shows the sign-in. */
function showFailure(error: Error): void {
  if (!isSignedOut(error)) void showToast(t('account.signOutFailed', { reason: error.message }))
}
