import './shell/mantine.css'
import './shell/base.css'
import { createRoot } from 'react-dom/client'
import { start } from './shell/start.tsx'

const container = document.querySelector('#root')
if (container === null) throw new Error('the page has no #root')
await start(createRoot(container))
