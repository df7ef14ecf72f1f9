import {
  createTheme,
  DirectionProvider,
  type MantineColorsTuple,
  MantineProvider,
  mergeThemeOverrides,
} from '@mantine/core'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiFailure } from './api/request/ask.ts'
import { forgetSession, isSignedOut } from './api/session.ts'
import { App } from './app.tsx'
import { Toasts } from './ui/toasts.tsx'
import { chooseLocale, storedLanguage } from './words/language.ts'
import { loadLocale, t } from './words/text.ts'
import './theme/forced-colours.css'

/** The list of shades only registers the colour with Mantine. `mantine.css` sets the visible colours. */
const pine: MantineColorsTuple = [
  '#eef6f1',
  '#dfeee5',
  '#c2dfd0',
  '#a9cfbb',
  '#6fae90',
  '#3f8f6c',
  '#27795b',
  '#1a6a4e',
  '#13543d',
  '#0e3f2e',
]

const theme = createTheme({
  primaryColor: 'pine',
  primaryShade: 7,
  colors: { pine },
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // Does not lock the scroll position, because this would add an inline style sheet, which the
    // Content-Security-Policy refuses. A menu focuses its first item, and is rendered inside a landmark.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, portalProps: { target: '#content' } } },
    Modal: { defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 0 } } },
    SegmentedControl: { defaultProps: { withItemsBorders: false } },
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
  },
})

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')
const client = newQueryClient()
const locale = chooseLocale(storedLanguage(), navigator.languages)
// If the catalogue cannot be loaded, the page shows this problem in English. The English texts are part of the program.
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

/** Creates the client for queries. After a session has expired, every page shows the sign-in. */
function newQueryClient(): QueryClient {
  const signOut = (error: Error) => {
    if (isSignedOut(error)) forgetSession(client)
  }
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: signOut }),
    // Sign-in and sign-out handle their errors. A failed sign-in does not mean that the session has expired.
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => mutation.meta?.['changesSession'] !== true && signOut(error),
    }),
    defaultOptions: {
      // Sends requests even if the browser reports no internet, because a gateway in the local network may still
      // answer. Without a connection, requests fail at once.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 5_000,
        // Retries only requests without an answer, because a refused request would be refused again.
        retry: (failures, error) =>
          failures < 2 && (!(error instanceof ApiFailure) || [0, 502, 503].includes(error.status)),
      },
    },
  })
  return client
}
