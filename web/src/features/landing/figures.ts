/** A test holds them against the measured results. */
export const figures = [
  {
    figure: "25,000+",
    title: "reads a second",
    text: "From one process on two cores: as many as a bare Node server that sends the same bytes.",
  },
  {
    figure: "< 0.2 s",
    title: "until everything knows",
    text: "From saving a change until the last of 10,000 watching programs has heard of it.",
  },
  {
    figure: "< 130 MB",
    title: "of memory when idle",
    text: "For the whole product: server, screens and database. It starts in about a second.",
  },
]
