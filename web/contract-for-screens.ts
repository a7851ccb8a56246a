import { type Plugin, Visitor } from "vite"

/** What the contract says about a call for the server and the documentation. The screens do not check answers. */
const notForScreens = ["summary", "output"]

/**
 * Leaves it out of the screens, and with it the schemas that nothing else uses: a bundler keeps what a function made,
 * unless it is told that making it has no effect.
 */
export function contractForScreens(): Plugin {
  return {
    name: "contract-for-screens",
    apply: "build",
    transform: {
      filter: { id: /\/contract\/src\/[\w-]+\.ts$/ },
      handler(code) {
        const changes: [start: number, end: number, text: string][] = []
        const program = this.parse(code)
        new Visitor({
          CallExpression({ callee, arguments: [declared] }) {
            if (callee.type !== "Identifier" || callee.name !== "call" || declared?.type !== "ObjectExpression") return
            for (const property of declared.properties) {
              if (property.type !== "Property" || property.key.type !== "Identifier") continue
              if (notForScreens.includes(property.key.name))
                changes.push([property.value.start, property.value.end, "0"])
            }
          },
        }).visit(program)
        for (const statement of program.body) {
          const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
          if (declaration?.type !== "VariableDeclaration") continue
          for (const { init } of declaration.declarations) {
            if (init?.type !== "CallExpression" && init?.type !== "ObjectExpression") continue
            changes.push([init.start, init.start, "/* @__PURE__ */ (() => ("], [init.end, init.end, "))()"])
          }
        }
        return changes
          .toSorted(([one], [other]) => other - one)
          .reduce((rest, [start, end, text]) => rest.slice(0, start) + text + rest.slice(end), code)
      },
    },
  }
}
