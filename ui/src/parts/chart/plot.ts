// Draws events and errors over time with uPlot. Loaded on demand.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { short } from '../figures';
import type { Bucket } from './buckets';
import { bucketAt, fittingTicks, seriesOf, timeRange, valueRange, WHOLE_NUMBERS } from './scale';

export type Colours = { events: string; errors: string; text: string; line: string; font: string };

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
          dataIdx: (_, __, ___, x) => bucketAt(this.#buckets, x),
        },
        scales: {
          x: { time: false, range: () => timeRange(this.#buckets) },
          y: { range: (_, __, max) => valueRange(max) },
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
      seriesOf(buckets),
      container,
    );
    this.#plot.over.append(this.#column);
  }

  show(buckets: Bucket[]) {
    this.#buckets = buckets;
    this.#plot.setData(seriesOf(buckets));
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
    return fittingTicks(this.#buckets, this.#plot.width);
  }
}
