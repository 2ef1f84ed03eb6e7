// Draws events and errors over time with uPlot. Loaded on demand.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { short } from '../figures';
import { type Bucket, ticks } from './buckets';

export type Colours = { events: string; errors: string; text: string; line: string; font: string };

const TICK_WIDTH = 68;
const WHOLE_NUMBERS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 15 }, (_, power) => digit * 10 ** power))
  .sort((a, b) => a - b);

export class Plot {
  #plot: uPlot;
  #buckets: Bucket[];
  #colours: Colours;
  #column: HTMLElement;

  constructor(
    container: HTMLElement,
    size: { width: number; height: number },
    buckets: Bucket[],
    colours: Colours,
    onHover: (index: number | undefined) => void,
  ) {
    this.#buckets = buckets;
    this.#colours = colours;
    this.#column = document.createElement('div');
    this.#column.className = 'chart-column';
    this.#column.hidden = true;
    const bars = uPlot.paths.bars?.({ size: [0.7, 32], radius: 0.12 });
    const axis = (): Pick<uPlot.Axis, 'stroke' | 'font' | 'ticks'> => ({
      stroke: () => this.#colours.text,
      font: colours.font,
      ticks: { show: false },
    });
    this.#plot = new uPlot(
      {
        ...size,
        padding: [10, 4, 0, 0],
        legend: { show: false },
        cursor: {
          x: false,
          y: false,
          drag: { x: false, y: false },
          points: { show: false },
          // Bucket n spans from n to n + 1, with its bar in the middle.
          dataIdx: (_, __, ___, x) => Math.max(0, Math.min(this.#buckets.length - 1, Math.floor(x))),
        },
        scales: {
          x: { time: false, range: () => [0, Math.max(1, this.#buckets.length)] },
          y: { range: (_, __, max) => [0, Math.max(4, max * 1.08)] },
        },
        axes: [
          {
            ...axis(),
            size: 26,
            gap: 6,
            grid: { show: false },
            splits: () => this.#ticks().map(({ at }) => at),
            values: () => this.#ticks().map(({ name }) => name),
          },
          {
            ...axis(),
            size: 44,
            gap: 6,
            space: 36,
            incrs: WHOLE_NUMBERS,
            grid: { stroke: () => this.#colours.line, width: 1 },
            values: (_, values) => values.map((value) => short(value)),
          },
        ],
        series: [
          {},
          { fill: () => this.#colours.errors, width: 0, points: { show: false }, paths: bars },
          { fill: () => this.#colours.events, width: 0, points: { show: false }, paths: bars },
        ],
        hooks: {
          setCursor: [
            (plot) => {
              const index = plot.cursor.left !== undefined && plot.cursor.left >= 0 ? plot.cursor.idx : undefined;
              this.mark(index ?? undefined);
              onHover(index ?? undefined);
            },
          ],
        },
      },
      data(buckets),
      container,
    );
    this.#plot.over.append(this.#column);
  }

  show(buckets: Bucket[]) {
    this.#buckets = buckets;
    this.#plot.setData(data(buckets));
  }

  resize(size: { width: number; height: number }) {
    this.#plot.setSize(size);
  }

  recolour(colours: Colours) {
    this.#colours = colours;
    this.#plot.redraw(true, true);
  }

  /** Highlights one bucket. */
  mark(index: number | undefined) {
    this.#column.hidden = index === undefined;
    if (index === undefined) return;
    const left = this.#plot.valToPos(index, 'x');
    this.#column.style.left = `${left}px`;
    this.#column.style.width = `${this.#plot.valToPos(index + 1, 'x') - left}px`;
  }

  destroy() {
    this.#plot.destroy();
  }

  #ticks() {
    const labels = ticks(this.#buckets, Math.max(2, this.#plot.width / TICK_WIDTH));
    // A label at the edge would be clipped.
    const each = this.#plot.width / this.#buckets.length;
    return labels.filter(({ at }) => (this.#buckets.length - at) * each > TICK_WIDTH / 2);
  }
}

/** Errors are stacked on events: the bars of both together are drawn behind those of the events. */
function data(buckets: Bucket[]): uPlot.AlignedData {
  return [
    buckets.map((_, index) => index + 0.5),
    buckets.map(({ events, errors }) => (errors > 0 ? events + errors : null)),
    buckets.map(({ events }) => events),
  ];
}
