import { renderToStaticMarkup } from "react-dom/server"
import { landingTitle } from "../features/landing/Landing.tsx"
import { FirstPage } from "./FirstPage.tsx"

export { landingTitle }

/** The server puts what only it knows in the place of these: see server/src/http/landing-page.ts. */
const facts = {
  origin: "__ENVKEEP_ORIGIN__",
  clientIntegrity: "__ENVKEEP_CLIENT_INTEGRITY__",
  contactUrl: "__ENVKEEP_CONTACT_URL__",
}

const styleTag = /<style[^>]*>(.*?)<\/style>/gs

/** The content of the landing page, and the rules that Mantine makes from the theme. */
export function renderFirstPage(canRegister: boolean): { content: string; rules: string } {
  const markup = renderToStaticMarkup(<FirstPage canRegister={canRegister} facts={facts} />)
  const rules = [...markup.matchAll(styleTag)].map(([, css = ""]) => css)
  // In the layer of Mantine's other rules, where the last one of two that are alike holds.
  return { content: markup.replaceAll(styleTag, ""), rules: `@layer mantine{${rules.join("")}}` }
}
