// The default theme without its fonts, in the colors of the console.
import DefaultTheme from 'vitepress/theme-without-fonts'
import './guide.css'

export default DefaultTheme
