/** Selection mode of one list: what is ticked, and the ids behind "everything" once they were asked for. */
import { toIpcError } from "../platform";
import {
  countPicked,
  isPicked,
  noSelection,
  reduceSelection,
  type Pickable,
  type SelectionAction,
  type SelectionState,
} from "./selection";

export class Selection {
  state = $state.raw<SelectionState>(noSelection);
  #idsOfWhole: () => Promise<readonly string[]>;
  #asked: Promise<readonly string[]> | null = null;

  /** `idsOfWhole` names every row of the list, those not loaded as well. */
  constructor(idsOfWhole: () => Promise<readonly string[]>) {
    this.#idsOfWhole = idsOfWhole;
  }

  get active(): boolean {
    return this.state.active;
  }

  has(row: Pickable): boolean {
    return isPicked(this.state, row);
  }

  /** `total`: rows of the whole. */
  count(total: number): number {
    return countPicked(this.state, total);
  }

  dispatch(action: SelectionAction): void {
    this.state = reduceSelection(this.state, action);
  }

  /** Ticks the whole. `known`: its loaded rows; `complete`: there are no others. */
  all(known: readonly string[], complete: boolean): void {
    this.dispatch({ type: "whole_ticked" });
    if (complete) this.dispatch({ type: "resolved", ids: known });
    // A failure is said when something is to be done with them.
    else void this.ids().catch(() => {});
  }

  /** What is ticked. Waits for the ids of rows that are not loaded; rejects when they cannot be read. */
  async ids(): Promise<readonly string[]> {
    if (this.state.except !== null) {
      this.#asked ??= this.#idsOfWhole();
      const asked = this.#asked;
      try {
        const ids = await asked;
        if (this.#asked === asked) this.dispatch({ type: "resolved", ids });
      } catch (error) {
        throw toIpcError(error);
      } finally {
        if (this.#asked === asked) this.#asked = null;
      }
    }
    return [...this.state.apart, ...this.state.ids];
  }

  end(): void {
    this.#asked = null;
    this.dispatch({ type: "ended" });
  }
}
