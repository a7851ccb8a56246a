/**
 * A list that is too long to be loaded at once. Each step is loaded when the reader has taken those before, so it is of its
 * own moment.
 */
export class ListInSteps<Element> {
  /** The most that a step takes in memory. */
  readonly bytesPerStep: number
  readonly steps: AsyncIterable<readonly Element[]>

  constructor(bytesPerStep: number, steps: AsyncIterable<readonly Element[]>) {
    this.bytesPerStep = bytesPerStep
    this.steps = steps
  }
}
