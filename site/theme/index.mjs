// The default theme without its fonts, in the tokens of the console.
import DefaultTheme from 'vitepress/theme-without-fonts'
import './tokens.css'
import './guide.css'

export default DefaultTheme
