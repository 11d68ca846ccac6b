import './app/mantine.css'
import './app/base.css'
import { createRoot } from 'react-dom/client'
import { start } from './app/start.tsx'

const container = document.querySelector('#root')
if (container === null) throw new Error('the page has no #root')
await start(createRoot(container))
