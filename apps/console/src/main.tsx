import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { newQueryClient } from './api/query-client.ts'
import { App } from './app.tsx'
import './theme/mantine.css'
import './theme/tokens.css'
import './theme/page.css'
import { theme } from './theme/theme.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')
const client = newQueryClient()

createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={client}>
        <Notifications position="top-right" limit={4} />
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
