import { DirectionProvider, MantineProvider, mergeThemeOverrides } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { newQueryClient } from './api/request/query-client.ts'
import { App } from './app.tsx'
import { theme } from './theme/theme.ts'
import { Toasts } from './ui/toasts.tsx'
import { chooseLocale, storedLanguage } from './words/language.ts'
import { loadLocale, t } from './words/text.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')
const client = newQueryClient()
const locale = chooseLocale(storedLanguage(), navigator.languages)
// If the catalogue cannot be loaded, the page is shown in English, which is part of the program, and shows the problem.
const isLoaded = await loadLocale(locale).then(
  () => true,
  () => false,
)
document.documentElement.lang = isLoaded ? locale.language : 'en'
document.documentElement.dir = isLoaded ? locale.direction : 'ltr'

createRoot(root).render(
  <StrictMode>
    <DirectionProvider initialDirection={isLoaded ? locale.direction : 'ltr'} detectDirection={false}>
      <MantineProvider
        theme={wordedTheme()}
        defaultColorScheme="auto"
        withCssVariables={false}
        withGlobalClasses={false}
      >
        <QueryClientProvider client={client}>
          <Toasts />
          <App />
        </QueryClientProvider>
      </MantineProvider>
    </DirectionProvider>
  </StrictMode>,
)

/** The theme with the texts that Mantine's own elements need. */
function wordedTheme() {
  const closing = { defaultProps: { closeButtonProps: { 'aria-label': t('common.close') } } }
  return mergeThemeOverrides(theme, { components: { Modal: closing, Notification: closing } })
}
