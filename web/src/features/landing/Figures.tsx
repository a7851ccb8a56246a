import { Anchor, Text, Title } from "@mantine/core"
import { figures } from "./figures.ts"

/** The page that the build makes of the results of `npm run bench`. */
const measurements = "/benchmarks.html"

export function Figures() {
  return (
    <section className="landing__section" aria-labelledby="figures-title">
      <div className="figures__head">
        <Title order={2} id="figures-title" className="landing__title">
          Small to run, fast to read
        </Title>
        <Anchor href={measurements}>How we measured</Anchor>
      </div>
      <dl className="figures__list">
        {figures.map(({ figure, title, text }) => (
          <div key={title} className="figures__one">
            <dt>
              <span className="figures__figure">{figure}</span> {title}
            </dt>
            <dd>
              <Text c="dimmed" size="sm">
                {text}
              </Text>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
